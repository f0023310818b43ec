package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// captured is a package whose objects somebody changes in the cluster.
const captured = `# The web tier.
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2 # ours
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: "nginx:1.27" # pinned
        ports: [{containerPort: 80}]
        env:
        - {name: LOG_LEVEL, value: info}
        - {name: GONE, value: x}
        resources: {limits: {memory: 256Mi}}
      tolerations: [{key: a, operator: Exists}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled}
spec:
  replicas: 1
  selector: {matchLabels: {app: scaled}}
  template:
    metadata: {labels: {app: scaled}}
    spec: {containers: [{name: a, image: "a:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web}
spec:
  podSelector: {matchLabels: {app: web}}
  ingress: [{ports: [{port: 80}]}]
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {password: one}
`

// changes are the commands by which people and a controller change them.
var changes = [][]string{
	{"autoscale", "deployment", "scaled", "--max=5"},
	{"patch", "deployment", "web", "--type=json", "-p", `[{"op":"replace","path":"/spec/replicas","value":5},{"op":"remove","path":"/spec/template/spec/containers/0/env/1"}]`},
	{"set", "image", "deployment/web", "web=nginx:1.28"},
	{"set", "env", "deployment/web", "EXTRA=1"},
	{"patch", "deployment", "web", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1","ports":[{"containerPort":9}],"livenessProbe":{"httpGet":{"port":9}}}],"tolerations":[{"key":"a","operator":"Exists"},{"key":"b"}]}}}}`},
	{"rollout", "restart", "deployment", "web"},
	{"scale", "deployment", "scaled", "--replicas=3"},
	{"patch", "service", "web", "-p", `{"spec":{"type":"NodePort"}}`},
	{"annotate", "service", "web", "who=me"},
	{"patch", "networkpolicy", "web", "--type=merge", "-p", `{"spec":{"ingress":[{"ports":[{"port":80}],"from":[{"podSelector":{"matchLabels":{"role":"fe"}}}]}]}}`},
	{"patch", "secret", "s", "-p", `{"stringData":{"password":"two"}}`},
	{"patch", "deployment", "web", "--field-manager=vpa-updater", "-p", `{"spec":{"template":{"spec":{"containers":[{"name":"web","resources":{"limits":{"memory":"300Mi"}}}]}}}}`},
}

// TestCapture takes the changes that people made in the cluster into a package. Applied again, the package changes nothing
// but the values that it left to controllers, and there is nothing more to take. It is so after either way of applying,
// but a server-side apply records no removals.
func TestCapture(t *testing.T) {
	for name, flags := range map[string][]string{"captured-client": nil, "captured-server": {"--server-side", "--force-conflicts"}} {
		t.Run(name, func(t *testing.T) {
			if err := cluster.Namespace(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "web.yaml")
			write := func(name, text string) {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			kubectl := func(args ...string) string {
				said := cluster.Kubectl(t.Context(), "", append([]string{"-n", name}, args...)...)
				if said.Refused() {
					t.Fatal(args, said.Stderr)
				}
				return said.Stdout
			}
			run := func(args ...string) string {
				live := filepath.Join(t.TempDir(), "live.yaml")
				write(live, kubectl("get", "deployment,service,networkpolicy,secret,hpa", "-o", "yaml", "--show-managed-fields"))
				said := server.Run(exec.CommandContext(t.Context(), function, append(args, "--live", live, "-n", name, dir)...), "")
				if said.Refused() {
					t.Fatal(args, said.Stdout, said.Stderr)
				}
				return said.Stdout + said.Stderr
			}
			apply := append([]string{"apply", "-f", dir}, flags...)
			write(file, captured)
			kubectl(apply...)
			for _, change := range changes {
				kubectl(change...)
			}
			t.Log(run("capture", "--write", "--force"))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", text)
			for part, want := range map[string]bool{
				"replicas: 5 # ours": true, "1.28": true, "# pinned": true, "name: side": true, "EXTRA": true, "key: b": true, "NodePort": true, "who: me": true, "role: fe": true,
				"password: two": true, "memory: 256Mi": true, "replicas: 1": true, "GONE": flags != nil,
				"restartedAt": false, "nodePort": false, "failureThreshold": false, "protocol": false, "300Mi": false, "replicas: 3": false, "status": false, "managedFields": false,
			} {
				if strings.Contains(string(text), part) != want {
					t.Errorf("%q in the file: %v", part, !want)
				}
			}
			before := kubectl("get", "deployment,service,networkpolicy,secret", "-o", `jsonpath={range .items[*]}{.spec}{.data}{"\n"}{end}`)
			kubectl(apply...)
			after := kubectl("get", "deployment,service,networkpolicy,secret", "-o", `jsonpath={range .items[*]}{.spec}{.data}{"\n"}{end}`)
			want := strings.NewReplacer(`"memory":"300Mi"`, `"memory":"256Mi"`, `{"progressDeadlineSeconds":600,"replicas":3`, `{"progressDeadlineSeconds":600,"replicas":1`).Replace(before)
			if flags != nil { // the removed variable was never known to be removed
				want = strings.Replace(want, `"env":[{"name":"LOG_LEVEL","value":"info"},{"name":"EXTRA","value":"1"}]`, `"env":[{"name":"LOG_LEVEL","value":"info"},{"name":"EXTRA","value":"1"},{"name":"GONE","value":"x"}]`, 1)
			}
			if after != want {
				t.Errorf("applied again:\n%s\nwant\n%s", after, want)
			}
			if again := run("capture"); !strings.Contains(again, ": 0 changes of the cluster taken, 0 left, 0 conflicts") {
				t.Errorf("captured again:\n%s", again)
			}
		})
	}
}
