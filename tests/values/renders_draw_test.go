package values_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// templates are files of charts in two versions, as public charts write them. NAME is a name, and a line that begins
// with 1 or 2 is in that version alone.
func templates() map[string]string {
	const head = "metadata:\n  name: {{ .Release.Name }}-NAME\n  labels: {{- include \"labels\" . | nindent 4 }}\n"
	return map[string]string{
		"password": "apiVersion: v1\nkind: Secret\n" + head + "data:\n  password: {{ randAlphaNum 12 | b64enc | quote }}\n2  user: {{ \"admin\" | b64enc }}\n",
		"newly-random": "apiVersion: v1\nkind: Secret\n" + head + "stringData:\n1  token: changeme\n2  token: {{ randAlphaNum 12 | quote }}\n" +
			"2  more: {{ uuidv4 }}\n",
		"certificates": "{{- $ca := genCA \"ca\" 365 }}\n{{- $cert := genSignedCert \"shop\" nil (list \"shop\") 365 $ca }}\napiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\n" + head +
			"data:\n  ca.crt: {{ $ca.Cert | b64enc }}\n  tls.crt: {{ $cert.Cert | b64enc }}\n  tls.key: {{ $cert.Key | b64enc }}\n" +
			"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" + head +
			"webhooks:\n- name: a.example.com\n  clientConfig:\n    caBundle: {{ $ca.Cert | b64enc }}\n    service: {name: shop, namespace: default}\n1  failurePolicy: Ignore\n2  failurePolicy: Fail\n" +
			"  sideEffects: None\n  admissionReviewVersions: [v1]\n",
		"random-lines": "apiVersion: v1\nkind: ConfigMap\n" + head + "data:\n  app.conf: |\n    seed = {{ randNumeric 9 }}\n    level = info\n  size: \"VERSION\"\n",
		"random-name": "{{- $name := printf \"%s-NAME-%s\" .Release.Name (randAlphaNum 5 | lower) }}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ $name }}\n  labels: {{- include \"labels\" . | nindent 4 }}\n" +
			"spec:\n1  backoffLimit: 1\n2  backoffLimit: 4\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: job\n        image: example.com/job:VERSION\n        env:\n        - name: JOB\n          value: {{ $name }}\n",
		"random-element": "apiVersion: apps/v1\nkind: StatefulSet\n" + head + "spec:\n  serviceName: {{ .Release.Name }}\n  selector: {matchLabels: {app: NAME}}\n  template:\n    metadata:\n      labels: {app: NAME}\n" +
			"      annotations:\n        rolled: {{ randAlphaNum 6 | quote }}\n    spec:\n      containers:\n      - name: main\n        image: example.com/main:VERSION\n        args: [--id, {{ uuidv4 | quote }}]\n" +
			"        ports:\n        - {name: http, containerPort: 80}\n2        - {name: metrics, containerPort: 9090}\n",
		"hook": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-NAME\n  annotations:\n    \"helm.sh/hook\": pre-install,pre-upgrade\nspec:\n  template:\n    spec:\n" +
			"      restartPolicy: Never\n      containers: [{name: hook, image: \"example.com/hook:VERSION\"}]\n",
		"checksum": "apiVersion: v1\nkind: ConfigMap\n" + head + "data:\n  level: info\n1  mode: slow\n2  mode: fast\n---\napiVersion: apps/v1\nkind: Deployment\n" + head +
			"spec:\n  replicas: 1\n  selector: {matchLabels: {app: NAME}}\n  template:\n    metadata:\n      labels: {app: NAME}\n      annotations:\n        checksum/config: {{ .Values | toJson | sha256sum }}\n" +
			"    spec:\n      containers:\n      - name: web\n        image: example.com/web:VERSION\n        envFrom: [{configMapRef: {name: shop-NAME}}]\n        resources:\n          limits: {cpu: 100m, memory: 64Mi}\n" +
			"2          requests: {cpu: 50m}\n",
		"rbac": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" + head + "rules:\n- apiGroups: [\"\"]\n  resources: [pods]\n1  verbs: [get, list]\n2  verbs: [get, list, watch]\n" +
			"2- apiGroups: [apps]\n2  resources: [deployments]\n2  verbs: [get]\n---\napiVersion: v1\nkind: ServiceAccount\n" + head,
		"service": "apiVersion: v1\nkind: Service\n" + head + "spec:\n  selector: {app: NAME}\n  ports:\n  - {name: http, port: 80}\n2  - {name: grpc, port: 81}\n  {{- with .Values.type }}\n  type: {{ . }}\n  {{- end }}\n",
		"several": "{{- range $i, $zone := .Values.zones }}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: {{ $.Release.Name }}-NAME-{{ $zone }}\nspec:\n  accessModes: [ReadWriteOnce]\n" +
			"  resources: {requests: {storage: {{ add $i VERSION }}Gi}}\n{{- end }}\n",
		"only-before": "1apiVersion: v1\n1kind: Secret\n1metadata:\n1  name: {{ .Release.Name }}-NAME\n1data:\n1  gone: {{ randAlphaNum 9 | b64enc }}\n",
		"only-after":  "2apiVersion: v1\n2kind: Secret\n2metadata:\n2  name: {{ .Release.Name }}-NAME\n2data:\n2  new: {{ randAlphaNum 9 | b64enc }}\n",
	}
}

// drawnCharts returns a chart of drawn templates in two versions.
func drawnCharts(seed uint64) map[string][]pkgmerge.File {
	r := rand.New(rand.NewPCG(seed, 0))
	out := map[string][]pkgmerge.File{}
	add := func(version int, name, text string) {
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			switch only := strings.TrimLeft(line, "12"); {
			case only == line:
				lines = append(lines, line)
			case strings.HasPrefix(line, fmt.Sprint(version)):
				lines = append(lines, line[1:])
			}
		}
		text = strings.ReplaceAll(strings.Join(lines, "\n"), "VERSION", fmt.Sprint(version))
		key := fmt.Sprintf("v%d", version)
		out[key] = append(out[key], pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(text)})
	}
	all := templates()
	for version := 1; version <= 2; version++ {
		add(version, "Chart.yaml", "apiVersion: v2\nname: shop\nversion: VERSION.0.0\n")
		add(version, "values.yaml", "type: ClusterIP\nzones: [a, b]\n")
		add(version, "templates/_helpers.tpl", "{{- define \"labels\" -}}\nhelm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}\napp.kubernetes.io/managed-by: {{ .Release.Service }}\n{{- end }}\n")
		add(version, "crds/crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: shops.example.com\nspec:\n  group: example.com\n  scope: Cluster\n")
	}
	for _, name := range []string{
		"password", "newly-random", "certificates", "random-lines", "random-name", "random-element", "hook", "checksum", "rbac", "service", "several", "only-before", "only-after",
	} {
		for i := range r.IntN(3) {
			text := strings.ReplaceAll(all[name], "NAME", fmt.Sprintf("%s-%d", name, i))
			for version := 1; version <= 2; version++ {
				add(version, fmt.Sprintf("templates/%s-%d.yaml", name, i), text)
			}
		}
	}
	return out
}

// TestRendersOfDrawnCharts updates renders of drawn charts: without edits the copy equals the new render, but for what
// is random, and edits stay.
func TestRendersOfDrawnCharts(t *testing.T) {
	program, edits := buildProgram(t), 0
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n, rendered := checkRenders(t, newRenders(t, program, drawnCharts(seed)))
			if !rendered {
				t.Error("the chart does not render")
			}
			edits += n
		})
	}
	if edits < 50 {
		t.Errorf("only %d edits were drawn", edits)
	}
}
