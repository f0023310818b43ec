package merge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// templates are resources with all subjects of the rules: keyed lists, sets, atomic lists and structs, empty maps,
// nulls, comments, quoting.
func templates() []string {
	return []string{`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {a.b/c: "1"}, finalizers: [x/y, z/w]}
spec:
  replicas: 2 # how many
  selector: {matchLabels: {app: web}}
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec:
      nodeSelector: {disk: ssd}
      containers:
      # the main one
      - name: web
        image: "web:1" # kpt-set: ${image}
        args: ["-a", --b]
        command:
        - -c
        - |
          set -e
          cd /srv

          run --port=80
          wait
        ports:
        - containerPort: 80
        - {containerPort: 53, protocol: UDP, name: dns}
        env:
        - {name: A, value: "1"}
        - name: B
          valueFrom: {secretKeyRef: {name: s, key: k}}
        resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {}}
        volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}]
      - name: side
        image: side:2
      - name: third
        image: third
      tolerations: [{key: a, operator: Exists}]
      volumes:
      - {name: v, emptyDir: {}}
      - {name: w, configMap: {name: c, items: [{key: a, path: b}]}}
      hostAliases: [{ip: 1.1.1.1, hostnames: [a]}]
      topologySpreadConstraints:
      - {topologyKey: zone, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}
`, `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec:
  serviceName: db
  replicas: 0x3
  template:
    spec:
      initContainers: [{name: i, image: busybox}, {name: j, image: busybox}]
      containers:
      - {name: db, image: db, command: [db, --x=y], env: [{name: A, value: a}, {name: A, value: b}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce]}
`, `
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80, targetPort: http}
  - {name: https, port: 443}
  - {name: dns, port: 53, protocol: UDP}
`, `
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  a: "1"
  b: |
    set -e
    cd /srv

    run --port=80
    wait
    done
  c: 'on'
binaryData: {d: AA==, n1: AQ==}
`, `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h}
spec:
  minReplicas: 1
  maxReplicas: 10
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
  behavior: {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}
`, `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: n}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - from: [{podSelector: {matchLabels: {a: b}}}]
    ports: [{port: 80}]
`, `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, ownerReferences: [{uid: u1, kind: K, name: n, apiVersion: v1}]}
spec:
  disks: [{name: a, size: 1}, {name: b, size: 2}]
  nothing: null
  empty: {}
  none: []
  script: [!reference [.setup, script], !Sub [a, {b: 1}]]
  big: 18446744073709551616
  deep: {a: {b: {c: {d: 1.5}}}}
`, `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: prod}
  spec: {ports: [{port: 80, targetPort: 8080}, {port: 443, name: https}]}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: c}
  data: {a: "1"}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: c}
  rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`}
}

// drawOrigin draws a resource.
func drawOrigin(t *rapid.T) *yaml.Node {
	n := parse(t, rapid.SampledFrom(templates()).Draw(t, "template"))
	return drawEdits(t, n, "origin")
}

// drawEdits draws a changed copy of a resource.
func drawEdits(t *rapid.T, n *yaml.Node, label string) *yaml.Node {
	n = clone(n)
	for i := range rapid.IntRange(0, 6).Draw(t, label+" edits") {
		edit(t, n, fmt.Sprintf("%s %d", label, i))
	}
	return n
}

// edit walks to a place below n and changes it.
func edit(t *rapid.T, n *yaml.Node, label string) {
	for len(n.Content) > 0 {
		pick := rapid.IntRange(0, len(n.Content)-1).Draw(t, label+" step")
		if n.Kind == yaml.MappingNode {
			pick |= 1
		}
		child := n.Content[pick]
		leaf := len(child.Content) == 0
		if identityField(n, pick) {
			if leaf {
				return
			}
		} else if leaf || rapid.IntRange(0, 2).Draw(t, label+" here") == 0 {
			editChild(t, n, pick, label)
			return
		}
		n = child
	}
}

// identityField reports whether a field of the resource is part of its identity.
func identityField(n *yaml.Node, pick int) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	switch n.Content[pick-1].Value {
	case "apiVersion", "kind", "metadata":
		return true
	}
	return false
}

// editChild changes, removes, adds, doubles, moves, replaces or comments one
// child of a collection.
func editChild(t *rapid.T, n *yaml.Node, pick int, label string) {
	width, first := 1, pick
	if n.Kind == yaml.MappingNode {
		width, first = 2, pick-1
	}
	child := n.Content[pick]
	switch rapid.IntRange(0, 8).Draw(t, label+" kind") {
	case 0, 1:
		if strings.Contains(child.Value, "\n") && rapid.IntRange(0, 3).Draw(t, label+" whole") > 0 {
			editLine(t, child, label)
		} else if child.Kind == yaml.ScalarNode {
			child.Value = rapid.SampledFrom([]string{"1", "2", "a", "b", "true", "web:2", "mirror/web:1", "1000m", "18446744073709551617"}).Draw(t, label+" value")
			child.Tag, child.Style = "", rapid.SampledFrom([]yaml.Style{0, yaml.DoubleQuotedStyle}).Draw(t, label+" style")
			child.Tag = child.ShortTag()
		} else {
			child.Tag, child.Style = rapid.SampledFrom([]string{"!Sub", "!Join"}).Draw(t, label+" tag"), child.Style|yaml.TaggedStyle
		}
	case 2:
		n.Content = append(n.Content[:first:first], n.Content[first+width:]...)
	case 3:
		addSibling(t, n, pick, label)
	case 4:
		other := rapid.IntRange(0, len(n.Content)/width-1).Draw(t, label+" other") * width
		for i := range width {
			n.Content[first+i], n.Content[other+i] = n.Content[other+i], n.Content[first+i]
		}
	case 5:
		n.Content[pick] = parse(t, rapid.SampledFrom([]string{"{}", "[]", "x", "{new: 1}", "[q, r]", "!Sub [q, r]"}).Draw(t, label+" new"))
	case 6:
		child.LineComment = "# " + rapid.SampledFrom([]string{"one", "two"}).Draw(t, label+" comment")
	case 7:
		rekey(t, child, label)
	case 8:
		writeDefault(t, child)
	}
}
