// Package secrecy tells by their names which files and values hold secrets (rules/reports: secrets).
package secrecy

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// File reports whether the name of a file tells that it holds a secret.
func File(name string) bool {
	base := strings.ToLower(path.Base(name))
	contains := func(part string) bool { return strings.Contains(base, part) }
	if slices.Contains(fileExtensions(), path.Ext(base)) || slices.ContainsFunc(fileParts(), contains) {
		return true
	}
	words := strings.FieldsFunc(base, func(r rune) bool { return r < '0' || r > '9' && r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(fileWords(), word) })
}

// fileExtensions, fileParts and fileWords are extensions, parts and words of the names of files with secrets.
func fileExtensions() []string {
	return []string{".env", ".key", ".pem", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"}
}

func fileParts() []string {
	return []string{
		".env.", "secret", "passw", "credential", "kubeconfig", "dockerconfig", "dockercfg", "netrc", "npmrc", "pypirc", "pgpass",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "privatekey", "private-key", "private_key",
	}
}

func fileWords() []string { return []string{"token", "tokens", "apikey"} }

// Fields reports whether a value is secret by the fields that lead to it: one of them ends in password, token, secret or
// key. The name of a Secret is none, nor is the key in a reference, a toleration or a selector.
func Fields(fields ...string) bool {
	if len(fields) == 0 || slices.Contains([]string{"name", "secretName"}, fields[len(fields)-1]) {
		return false
	}
	above := ""
	for _, field := range fields {
		if endsInSecret(field) && (field != "key" || !hasKeys(above)) {
			return true
		}
		above = field
	}
	return false
}

// IsPublic reports whether the value at a path of a Secret is shown: its kind, its type and its names.
func IsPublic(path string) bool {
	return slices.Contains([]string{"apiVersion", "kind", "type", "metadata.name", "metadata.namespace", "metadata.generateName"}, path)
}

// endsInSecret reports whether the name of a field ends as that of a secret, in any case.
func endsInSecret(field string) bool {
	for _, end := range [...]string{"password", "token", "secret", "key"} {
		if at := len(field) - len(end); at >= 0 && strings.EqualFold(field[at:], end) {
			return !strings.EqualFold(field, "topologyKey")
		}
	}
	return false
}

// hasKeys reports whether a field called key below another one names something, such as a key of a ConfigMap or a label.
func hasKeys(field string) bool {
	lower := strings.ToLower(field)
	return slices.ContainsFunc([]string{"ref", "selector", "tolerations", "expressions", "items"}, func(end string) bool { return strings.HasSuffix(lower, end) })
}

// IsValue reports whether a value may be a secret: an empty text, a null and a boolean are none, as a text too.
func IsValue(text string) bool {
	return !slices.Contains([]string{"", "true", "false", "null", "~"}, strings.ToLower(text))
}

// Assignment reports whether a text such as NAME=value gives a value to a name that tells of a secret.
func Assignment(text string) bool {
	name, value, found := strings.Cut(text, "=")
	return found && !strings.ContainsAny(name, " /\n") && !strings.HasPrefix(name, "-") && Fields(name) && IsValue(value)
}

// Line reports whether a line of a text sets a secret, as NAME=value or name: value. A template of a value is none.
func Line(line []byte) bool {
	at := bytes.IndexAny(line, ":=")
	if at < 0 {
		return false
	}
	name := bytes.Trim(line[:at], " \t\"'")
	name = name[bytes.LastIndexAny(name, " \t\"'-#.")+1:]
	value := bytes.Trim(line[at+1:], " \t\r\n\"',:=")
	return !bytes.Equal(name, []byte("key")) && endsInSecret(string(name)) && IsValue(string(value)) && !bytes.HasPrefix(value, []byte("{{")) && value[0] != '$'
}

// Lines reports whether a line of a text sets a secret.
func Lines(text []byte) bool {
	for line := range bytes.Lines(text) {
		if Line(line) {
			return true
		}
	}
	return false
}
