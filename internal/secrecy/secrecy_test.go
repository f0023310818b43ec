package secrecy

import (
	"strings"
	"testing"
)

func TestFields(t *testing.T) {
	for path, want := range map[string]bool{
		"password": true, "auth.adminPassword": true, "api_key": true, "API_KEY": true, "minio.secretKey": true, "license.key": true, "key": true,
		"accessToken": true, "CLIENT-SECRET": true, "password.value": true, "dbPassword.more.a": true,
		"secretName": false, "imagePullSecrets": false, "secret.name": false, "secret.secretName": false, "replicas": false, "keys": false, "passwordLength": false,
		"valueFrom.secretKeyRef.key": false, "valueFrom.secretKeyRef.name": false, "configMapKeyRef.key": false, "tolerations.key": false,
		"nodeSelectorTerms.matchExpressions.key": false, "labelSelector.key": false, "volumes.configMap.items.key": false, "podAffinity.topologyKey": false,
	} {
		if got := Fields(strings.Split(path, ".")...); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

func TestLine(t *testing.T) {
	for line, want := range map[string]bool{
		"password = hunter2": true, "  adminPassword: \"hunter2\"": true, "export API_KEY=x": true, "db.password=x": true, `  "token": "x",`: true, "# token: x": true, "- secret: x": true,
		"password:": false, "password: ''": false, "usePassword: true": false, "password: {{ .Values.password }}": false, "TOKEN=$TOKEN": false, "key: app": false,
		"secretName: x": false, "replicas: 1": false, "the password is here": false, "": false, "=": false,
	} {
		if got := Line([]byte(line)); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

func TestAssignment(t *testing.T) {
	for text, want := range map[string]bool{
		"API_KEY=x": true, "DB_PASSWORD=a b": true, "API_KEY=": false, "--token=x": false, "a/token=x": false, "set the token=x": false, "REPLICAS=1": false, "TOKEN": false,
	} {
		if got := Assignment(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
