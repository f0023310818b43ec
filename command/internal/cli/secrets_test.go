package cli

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// secretPackages are files with a secret in the place of TOKEN, and a line that differs beside.
func secretPackages() map[string]map[string]string {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
	cm := func(data string) map[string]string { return map[string]string{"a.yaml": head + data} }
	return map[string]map[string]string{
		"a Secret":                      {"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  a: TOKEN\n"},
		"a Secret with a wrong tag":     {"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  a: !!int TOKEN\n"},
		"a Secret with a wrong float":   {"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  a: !!float \"TOKEN\"\n  b: !!bool TOKEN\n"},
		"a Secret with a list for data": {"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata: [TOKEN]\n"},
		"a sealed Secret":               {"a.yaml": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n  name: a\nspec:\n  template:\n    stringData:\n      a: TOKEN\n"},
		"a template of a Secret":        {"a.yaml": "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: a\nspec:\n  target:\n    template:\n      data:\n        a: TOKEN\n"},
		"a manifest in a ConfigMap":     cm("data:\n  a.yaml: |\n    apiVersion: v1\n    kind: Secret\n    data:\n      a: TOKEN\n"),
		"a manifest in JSON":            cm("data:\n  a.json: '{\"kind\": \"Secret\", \"data\": {\"a\": \"TOKEN\"}}'\n"),
		"a key of a ConfigMap":          cm("data:\n  id_rsa: TOKEN\n"),
		"a private key in a ConfigMap":  cm("data:\n  a: |\n    -----BEGIN RSA PRIVATE KEY-----\n    TOKEN\n    -----END RSA PRIVATE KEY-----\n"),
		"objects beside a chart's":      {"values.yaml": "extraObjects:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  data:\n    a: TOKEN\n"},
		"a text beside a chart's":       {"values.yaml": "extraObjects:\n- |\n  apiVersion: v1\n  kind: Secret\n  data:\n    a: TOKEN\n"},
		"a HelmRelease's values":        {"a.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: a\nspec:\n  values:\n    objects:\n      x: {kind: Secret, stringData: {a: TOKEN}}\n"},
		"a patch with a target":         {"kustomization.yaml": "patches:\n- target: {kind: Secret}\n  patch: |-\n    - op: replace\n      path: /data/a\n      value: TOKEN\n"},
		"a patch that is a Secret":      {"kustomization.yaml": "patches:\n- patch: |-\n    kind: Secret\n    metadata: {name: a}\n    data: {a: TOKEN}\n"},
		"an old patch that is a Secret": {"kustomization.yaml": "patchesStrategicMerge:\n- |-\n  kind: Secret\n  metadata: {name: a}\n  stringData: {a: TOKEN}\n"},
		"a patch in a file":             {"kustomization.yaml": "patches:\n- target: {kind: Secret}\n  path: p.yaml\n", "p.yaml": "- op: replace\n  path: /data/a\n  value: TOKEN\n"},
		"an older patch in a file":      {"kustomization.yaml": "patchesJson6902:\n- target: {version: v1, kind: Secret, name: a}\n  path: p.json\n", "p.json": "[{\"op\": \"replace\", \"path\": \"/data/a\", \"value\": \"TOKEN\"}]\n"},
		"a generator":                   {"kustomization.yaml": "secretGenerator:\n- name: a\n  literals: [a=TOKEN]\n"},
		"a generator's file":            {"kustomization.yaml": "secretGenerator:\n- name: a\n  files: [x=plain.txt, data.yaml]\n", "plain.txt": "TOKEN\n", "data.yaml": "a: TOKEN\n"},
		"values of secrets":             {"values-secrets.yaml": "a: TOKEN\n"},
		"id_rsa":                        {"id_rsa": "TOKEN\n"},
		".dockerconfigjson":             {".dockerconfigjson": "{\"a\": \"TOKEN\"}\n"},
		"config.json of Docker":         {"dockerconfig.json": "{\"a\": \"TOKEN\"}\n"},
		".netrc":                        {".netrc": "TOKEN\n"},
		".npmrc":                        {".npmrc": "TOKEN\n"},
		".htpasswd":                     {".htpasswd": "TOKEN\n"},
		"token":                         {"token": "TOKEN\n"},
		"kubeconfig":                    {"kubeconfig": "TOKEN\n", "kubeconfig.yaml": "a: TOKEN\n"},
		"names in a chart's values": {
			"values.yaml": "auth: {adminPassword: TOKEN}\napi_key: TOKEN\nAPI_KEY: TOKEN\nlicense:\n  key: TOKEN\nminio: {secretKey: TOKEN}\ndbPassword:\n  value: TOKEN\n  more: [TOKEN]\nauthToken: TOKEN\nextraEnv:\n- name: api_key\n  value: TOKEN\n",
			"app.json":    "{\"oauth\": {\"clientSecret\": \"TOKEN\"}}\n",
		},
		"names in resources": {
			"a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        env:\n        - name: DB_PASSWORD\n          value: TOKEN\n",
			"b.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: b\nspec:\n  values:\n    auth: {password: TOKEN}\n",
			"c.yaml": head + "data:\n  API_KEY: TOKEN\n",
			"d.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: d\nspec:\n  source:\n    helm:\n      parameters:\n      - name: auth.password\n        value: TOKEN\n",
			"e.yaml": "apiVersion: example.com/v1\nkind: Job\nmetadata:\n  name: e\nspec:\n  env: {DB_PASSWORD: TOKEN}\n",
		},
		"names in texts": {
			"kustomization.yaml": "configMapGenerator:\n- name: a\n  literals: [API_KEY=TOKEN]\n",
			"twice.yaml":         "a: 1\na: 2\nauth:\n  password: TOKEN\n",
			"app.ini":            "[db]\npassword = TOKEN\n",
		},
		"a List":                         {"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  stringData: {a: TOKEN}\n"},
		"a list of Secrets":              {"a.yaml": "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: a}\n  stringData: {a: TOKEN}\n"},
		"a Secret that cannot be merged": {"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata: &x\n  a: TOKEN\n  b: *y\n"},
	}
}

// drawnPackages returns all of secretPackages, or in a quick run every third.
func drawnPackages() map[string]map[string]string {
	all := secretPackages()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%seed.Step(3) != 0 {
			delete(all, name)
		}
	}
	return all
}

// secretDirs writes three versions of a package, in which the secret differs.
func secretDirs(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for side, token := range map[string]string{"o": "hush1111", "u": "hush2222", "l": "hush3333", "live": "hush4444"} {
		for name, text := range files {
			file := filepath.Join(dir, side, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "TOKEN", token)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		other := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\ndata:\n  a: \"%c\"\n", token[4])
		if err := os.WriteFile(filepath.Join(dir, side, "other.yaml"), []byte(other), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// No report, plan, message, error or page shows a value of a secret, wherever it is; documents,
// differences and patches show it, and --help says so.
func TestNoReportShowsASecret(t *testing.T) {
	for name, files := range drawnPackages() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			secretDirs(t, dir, files)
			three := []string{"--origin", "o", "--upstream", "u", "--local", "l"}
			runs := [][]string{append([]string{"overlay", "-o", "ov"}, three...), {"overlay", "-o", "ov2", "--origin", "o", "--local", "l"}}
			for _, policy := range []string{"mark", "upstream", "fail"} {
				merge := append([]string{"merge", "-o", policy, "--conflicts", policy}, three...)
				for _, format := range []string{"text", "markdown", "html", "github", "json"} {
					merge = append(merge, "--report", format+"="+format+policy)
				}
				runs = append(runs, merge)
			}
			if files["values.yaml"] != "" {
				runs = append(runs, []string{"values", "--origin", "o/values.yaml", "--upstream", "u/values.yaml", "--local", "l/values.yaml", "--report", "text", "--report", "json=values.json"})
			}
			for file := range files {
				live, config := filepath.Join("live", file), filepath.Join("l", file)
				runs = append(runs, []string{"apply", "--live", live, config, "-o", "applied"}, []string{"apply", "--live", live, config, "--server-side", "-o", "applied2"},
					[]string{"apply", "--live", live, "l", "--report", "markdown=plan", "-o", "applied3"})
			}
			for _, args := range runs {
				r := runIn(t, dir, "", args...)
				if said := r.out + r.errors; strings.Contains(said, "hush") {
					t.Errorf("%q shows a secret:\n%s", args, said)
				}
			}
			shown := 0
			reports, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range reports {
				text, err := os.ReadFile(file)
				if at := strings.Index(string(text), "hush"); at >= 0 {
					t.Errorf("%s shows a secret: …%s…", filepath.Base(file), text[max(at-200, 0):min(at+50, len(text))])
				}
				if err == nil {
					shown += strings.Count(string(text), "other")
				}
			}
			if shown == 0 {
				t.Error("no report tells of the ConfigMap other")
			}
		})
	}
	for _, args := range [][]string{{"merge", "--help"}, {"apply", "--help"}, {"update", "--help"}, {"overlay", "--help"}} {
		if r := runIn(t, t.TempDir(), "", args...); !strings.Contains(r.out+r.errors, "Secrets") {
			t.Errorf("%q says nothing of Secrets:\n%s", args, r.out)
		}
	}
}

// blame shows the lines of a file and the values of live objects without secrets, as text and in JSON.
func TestBlameShowsNoSecret(t *testing.T) {
	for name, files := range drawnPackages() {
		dir := t.TempDir()
		secretDirs(t, dir, files)
		if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for file := range files {
			for _, args := range [][]string{{"blame"}, {"blame", "--json"}, {"blame", "--live", filepath.Join("live", file)}, {"blame", "--json", "--live", filepath.Join("live", file)}} {
				r := runIn(t, dir, "", append(args, filepath.Join("l", file))...)
				if said := r.out + r.errors; strings.Contains(said, "hush") {
					t.Errorf("%s: %q shows a secret of %s:\n%s", name, args, file, said)
				}
				if len(args) == 1 && (r.code != 0 || !strings.Contains(r.out, "(hidden)") && !isListed(file)) {
					t.Errorf("%s: %q of %s, exit code %d:\n%s", name, args, file, r.code, r.out+r.errors)
				}
			}
		}
	}
}

// isListed reports whether a file may only name the files that have the secret.
func isListed(file string) bool { return file == "kustomization.yaml" }
