package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestWithUpstream edits upstreams of several forms: all other bytes stay.
func TestWithUpstream(t *testing.T) {
	to := Upstream{Source: "../up/{version}", Version: "1.10", Digest: "h1:new"}
	const made = "upstream:\n  source: \"../up/{version}\"\n  version: \"1.10\"\n  digest: h1:new\n"
	tests := map[string]struct{ text, want string }{
		"empty":            {"", made},
		"no upstream":      {"# mine\nadopt: []", "# mine\nadopt: []\n" + made},
		"CRLF":             {"adopt: []\r\n", "adopt: []\r\n" + strings.ReplaceAll(made, "\n", "\r\n")},
		"block":            {"upstream:\n    version: v1 # now\n    source: '../up/{version}'\nadopt: []\n", "upstream:\n    version: \"1.10\" # now\n    digest: h1:new\n    source: '../up/{version}'\nadopt: []\n"},
		"block at the end": {"upstream:\n  source: ../up/{version}\n  version: 'v1'", "upstream:\n  source: ../up/{version}\n  version: '1.10'\n  digest: h1:new"},
		"block with CRLF":  {"upstream:\r\n  source: ../up/{version}\r\n  version: v1\r\n", "upstream:\r\n  source: ../up/{version}\r\n  version: \"1.10\"\r\n  digest: h1:new\r\n"},
		"brackets":         {`upstream: {source: "../é/{version}", digest: h1:old,  version: v1}  # é` + "\n", `upstream: {source: "../up/{version}", digest: h1:new,  version: "1.10"}  # é` + "\n"},
		"brackets, added":  {`upstream: {source: "../up/{version}", version: v1}`, `upstream: {source: "../up/{version}", version: "1.10", digest: h1:new}`},
	}
	for name, test := range tests {
		out, err := WithUpstream([]byte(test.text), to)
		if err != nil || string(out) != test.want {
			t.Errorf("%s: %q, %v; want %q", name, out, err, test.want)
		}
	}
	same, err := WithUpstream([]byte(made), Upstream{Version: "1.10"})
	if err != nil || string(same) != made {
		t.Errorf("fields that u leaves empty changed: %q, %v", same, err)
	}
}

// TestWithUpstreamRefuses has texts that cannot be edited.
func TestWithUpstreamRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"- {prefer: local}\n": "only to a map over lines",
		"prefer: local\n":     "only to a map over lines",
		"{adopt: []}\n":       "only to a map over lines",
		"upstream: {source: \"{version}\", version: \"v\\x31\"}\n":  "write it by hand: version: v2",
		"upstream:\n  source: '{version}'\n  version: >-\n    v1\n": "write it by hand: version: v2",
		"a: [\n": ".resource-merge.yaml: yaml:",
	} {
		out, err := WithUpstream([]byte(text), Upstream{Version: "v2"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want %s", text, out, err, want)
		}
	}
}

// TestReadUpstream reads upstreams, also from texts with fields that this version of the program does not
// know.
func TestReadUpstream(t *testing.T) {
	u, err := ReadUpstream([]byte("former: 1\nupstream: {source: 'r.git@{version}', version: v1}\n"))
	if want := (Upstream{Source: "r.git@{version}", Version: "v1"}); err != nil || !reflect.DeepEqual(*u, want) || u.At("v2") != "r.git@v2" {
		t.Errorf("%+v, %v", u, err)
	}
	for _, text := range []string{"", "# nothing\n", "adopt: []\n", "- {prefer: local}\n"} {
		if u, err := ReadUpstream([]byte(text)); u != nil || err != nil {
			t.Errorf("%q: %+v, %v", text, u, err)
		}
	}
	for text, want := range map[string]string{
		"upstream: v1": "upstream: \"v1\" is not allowed",
		"upstream: {source: 'a@v1', version: v1}":                        `"a@v1" has no {version}`,
		"upstream: {source: 'a@{version}'}":                              "upstream.version: it is missing",
		"upstream: {version: v1}":                                        "upstream.source: it is missing",
		"upstream: {source: 'a@{version}', version: 1.2}":                `upstream.version: 1.2 is no string in YAML; write it in quotes: "1.2"`,
		"upstream: {source: 'a@{version}', verson: \"1.2\"}":             "did you mean",
		"upstream: {command: [helm, ../web-{version}.tgz], version: v1}": "a text with {version} needs quotes",
		"upstream: {}": "upstream.source: it is missing",
		"upstream: {command: [r, '{version}'], source: 'a@{version}', version: v1}": "source and command exclude each other",
		"upstream: {command: [], version: v1}":                                      "upstream.command: it is empty",
		"upstream: {command: ['', '{version}'], version: v1}":                       "upstream.command: it is empty",
		"upstream: {command: 'render {version}', version: v1}":                      "upstream.command: \"render {version}\" is not allowed, allowed is a list",
		"upstream: {command: [render, 1, '{version}'], version: v1}":                `upstream.command[1]: 1 is no string in YAML; write it in quotes: "1"`,
		"upstream: {command: [render], version: v1}":                                "no argument has {version}",
		"upstream: {command: [render, '{version}']}":                                "upstream.version: it is missing",
		"upstream: {command: [render, '{version}'], version: v1, timeout: 2}":       `upstream.timeout: 2 is no string in YAML; write it in quotes: "2"`,
		"upstream: {command: [render, '{version}'], version: v1, timeout: soon}":    "upstream.timeout: \"soon\" is not a time; write one such as 30s",
		"upstream: {command: [render, '{version}'], version: v1, timeout: -1s}":     "is not a time",
		"upstream: {command: [render, '{version}'], version: v1, digest: 'h1:x'}":   "upstream.digest: it is for upstream.source",
		"upstream: {source: 'a@{version}', version: v1, timeout: 30s}":              "upstream.timeout: it is for upstream.command",
	} {
		for _, read := range []func() error{
			func() error { _, err := ReadUpstream([]byte(text)); return err },
			func() error { _, err := ReadText("f", []byte(text)); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
}

// TestCommand reads a command, and edits its version, in both line ends.
func TestCommand(t *testing.T) {
	const text = "# ours\nupstream: {command: [helm, template, redis, \"oci://example.com/redis\", --version, \"{version}\", -f, values.yaml], version: 25.5.3}\nadopt: []\n"
	u, err := ReadUpstream([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := "helm template redis oci://example.com/redis --version 25.5.4 -f values.yaml"; strings.Join(u.CommandAt("25.5.4"), " ") != want || u.TimeLimit() != 2*time.Minute {
		t.Errorf("%q, %v", u.CommandAt("25.5.4"), u.TimeLimit())
	}
	for _, end := range []string{"\n", "\r\n"} {
		out, err := WithUpstream([]byte(strings.ReplaceAll(text, "\n", end)), Upstream{Version: "25.5.4"})
		if want := strings.ReplaceAll(strings.ReplaceAll(text, "25.5.3", "25.5.4"), "\n", end); err != nil || string(out) != want {
			t.Errorf("%q, %v; want %q", out, err, want)
		}
	}
	u, err = ReadUpstream([]byte("upstream:\n  timeout: 1m30s\n  command:\n  - &v \"{version}\"\n  - *v\n  version: v1\n"))
	if err != nil || u.TimeLimit() != 90*time.Second || len(u.Command) != 2 || u.Command[1] != VersionMark {
		t.Errorf("%+v, %v", u, err)
	}
}
