package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// Cluster is a running API server and its store.
type Cluster struct {
	programs  Programs
	dir       string // everything that it writes
	url       string
	token     string
	client    *http.Client
	store     *process
	apiServer *process
}

// Start starts etcd and the API server on free ports of the loopback interface, and
// waits until they are ready.
func Start(ctx context.Context, programs Programs) (*Cluster, error) {
	const attempts = 3 // another program may take a port that was free
	var err error
	for range attempts {
		var c *Cluster
		if c, err = start(ctx, programs); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func start(ctx context.Context, programs Programs) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "resource-merge-cluster-")
	if err != nil {
		return nil, err
	}
	token := make([]byte, 16)
	rand.Read(token)
	c := &Cluster{programs: programs, dir: dir, token: hex.EncodeToString(token)}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	store, err := c.startStore(ports[0], ports[1])
	if err != nil {
		return err
	}
	return c.startAPIServer(ctx, store, ports[2])
}

// startStore starts etcd, and returns its address. Nothing is to survive a
// crash, so that it does not wait for the disk.
func (c *Cluster) startStore(client, peer int) (url string, err error) {
	url, peerURL := local("http", client), local("http", peer)
	c.store, err = startProcess(filepath.Join(c.dir, "etcd.log"), c.program("etcd"),
		"--data-dir", filepath.Join(c.dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", url, "--advertise-client-urls", url,
		"--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
		"--initial-cluster", "default="+peerURL)
	if err != nil {
		return "", err
	}
	return url, c.store.wait(func() bool { return answers(http.DefaultClient, url+"/health", "") })
}

func (c *Cluster) startAPIServer(ctx context.Context, store string, port int) error {
	if err := c.writeSecrets(); err != nil {
		return err
	}
	var err error
	c.apiServer, err = startProcess(filepath.Join(c.dir, "kube-apiserver.log"), c.program("kube-apiserver"),
		"--etcd-servers", store,
		"--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(port), "--cert-dir", c.dir,
		"--authorization-mode", "AlwaysAllow", "--token-auth-file", c.file("tokens.csv"),
		"--disable-admission-plugins", "ServiceAccount",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", c.file("key.pem"), "--service-account-signing-key-file", c.file("key.pem"),
		"--service-cluster-ip-range", "10.0.0.0/16", "--endpoint-reconciler-type", "none")
	if err != nil {
		return err
	}
	c.url = local("https", port)
	return c.apiServer.wait(c.ready)
}

// Stop ends both programs and removes what they wrote.
func (c *Cluster) Stop() error {
	var errs []error
	for _, p := range []*process{c.apiServer, c.store} {
		if p != nil {
			errs = append(errs, p.stop())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

func (c *Cluster) program(name string) string { return filepath.Join(c.programs.Dir, name) }

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// local is the address of a port of the loopback interface.
func local(scheme string, port int) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port) }

// freePorts finds ports that nobody listens on.
func freePorts(n int) (ports []int, err error) {
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
