package server

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"time"
)

// writeSecrets writes the files by which the API server knows its users: the key that
// signs the tokens of service accounts, and the token of the one user.
func (c *Cluster) writeSecrets() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(c.file("key.pem"), block, 0o600); err != nil {
		return err
	}
	return os.WriteFile(c.file("tokens.csv"), []byte(c.token+",admin,admin,system:masters\n"), 0o600)
}

// ready reports whether the API server serves. The first time it does, it has written
// its certificate, and kubectl's configuration can be written.
func (c *Cluster) ready() bool {
	certificate, err := os.ReadFile(c.file("apiserver.crt"))
	if err != nil {
		return false
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(certificate) {
		return false
	}
	c.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 8, ForceAttemptHTTP2: true,
	}}
	return answers(c.client, c.url+"/readyz", c.token) && c.writeConfig() == nil
}

// writeConfig writes the configuration of kubectl.
func (c *Cluster) writeConfig() error {
	const config = `apiVersion: v1
kind: Config
clusters:
- name: local
  cluster: {server: %q, certificate-authority: %q}
users:
- name: admin
  user: {token: %s}
contexts:
- name: local
  context: {cluster: local, user: admin}
current-context: local
`
	return os.WriteFile(c.file("config"), fmt.Appendf(nil, config, c.url, c.file("apiserver.crt"), c.token), 0o600)
}

// answers reports whether a GET is answered with 200.
func answers(client *http.Client, url, token string) bool {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}
