package config

import (
	"strings"
	"testing"
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
		"- {prefer: local}\n": "below conflicts.rules",
		"prefer: local\n":     "below conflicts.rules",
		"{adopt: []}\n":       "below conflicts.rules",
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
	if want := (Upstream{Source: "r.git@{version}", Version: "v1"}); err != nil || *u != want || u.At("v2") != "r.git@v2" {
		t.Errorf("%+v, %v", u, err)
	}
	for _, text := range []string{"", "# nothing\n", "adopt: []\n", "- {prefer: local}\n"} {
		if u, err := ReadUpstream([]byte(text)); u != nil || err != nil {
			t.Errorf("%q: %+v, %v", text, u, err)
		}
	}
	for text, want := range map[string]string{
		"upstream: v1": "upstream: \"v1\" is not allowed",
		"upstream: {source: 'a@v1', version: v1}":            `"a@v1" has no {version}`,
		"upstream: {source: 'a@{version}'}":                  "upstream.version: it is missing",
		"upstream: {version: v1}":                            "upstream.source: it is missing",
		"upstream: {source: 'a@{version}', version: 1.2}":    "upstream.version: \"1.2\" is not allowed, allowed is a string",
		"upstream: {source: 'a@{version}', verson: \"1.2\"}": "did you mean",
	} {
		for _, read := range []func() error{
			func() error { _, err := ReadUpstream([]byte(text)); return err },
			func() error { _, err := readText("f", []byte(text)); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
	}
}
