package config

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// VersionMark stands for the version in the source or the command of an Upstream.
const VersionMark = "{version}"

// renderTime is the time limit of a command without a timeout.
const renderTime = 2 * time.Minute

// Upstream is the source of a copy, and its version (rules/update: the upstream in the config). Only
// the command update reads it.
type Upstream struct {
	// Source is the location of upstream's versions, with {version} in place of the version, such as
	// https://github.com/metallb/metallb.git/config/manifests@{version}. A relative path is relative to the copy.
	Source string `json:"source"`
	// Command is a program and its arguments, with {version} in place of the version, that writes the
	// resources of a version to stdout, such as [helm, template, redis, "oci://example.com/redis",
	// --version, "{version}", -f, values.yaml]. It stands in place of source. update runs it in the
	// directory of the copy, without a shell, and only with --allow-exec.
	Command []string `json:"command"`
	// Timeout is the time limit of the command, such as 30s. The default is 2m.
	Timeout string `json:"timeout"`
	// Version is the version of the copy: of its first upstream, or of its last update.
	Version string `json:"version"`
	// Digest is the digest of that version's files. An update refuses a version with another one. A command has none.
	Digest string `json:"digest"`
}

// At returns the source of a version.
func (u Upstream) At(version string) string {
	return strings.ReplaceAll(u.Source, VersionMark, version)
}

// CommandAt returns the command of a version.
func (u Upstream) CommandAt(version string) (arguments []string) {
	for _, argument := range u.Command {
		arguments = append(arguments, strings.ReplaceAll(argument, VersionMark, version))
	}
	return arguments
}

// TimeLimit returns the time after which the command is ended.
func (u Upstream) TimeLimit() time.Duration {
	if limit, err := time.ParseDuration(u.Timeout); err == nil {
		return limit
	}
	return renderTime
}

// check returns an error for an upstream from which no version can be read.
func (u *Upstream) check() error {
	switch {
	case u == nil:
		return nil
	case u.Source == "" && u.Command == nil:
		return errors.New("upstream.source: it is missing; write the location of upstream's versions, with {version} in place of the version, or a command that renders them")
	case u.Source != "" && u.Command != nil:
		return errors.New("upstream: source and command exclude each other; keep the one from which the copy was made")
	case u.Source != "" && !strings.Contains(u.Source, VersionMark):
		return fmt.Errorf("upstream.source: %q has no {version}; write it in place of the version", u.Source)
	case u.Version == "":
		return errors.New("upstream.version: it is missing; write the version from which the copy was made")
	case u.Command != nil:
		return u.checkCommand()
	case u.Timeout != "":
		return errors.New("upstream.timeout: it is for upstream.command; a source has limits of its own")
	}
	return nil
}

func (u *Upstream) checkCommand() error {
	limit, err := time.ParseDuration(u.Timeout)
	switch {
	case len(u.Command) == 0 || u.Command[0] == "":
		return errors.New("upstream.command: it is empty; write the program and its arguments")
	case !slices.ContainsFunc(u.Command, func(argument string) bool { return strings.Contains(argument, VersionMark) }):
		return errors.New("upstream.command: no argument has {version}; write it in place of the version")
	case u.Timeout != "" && (err != nil || limit <= 0):
		return fmt.Errorf("upstream.timeout: %q is not a time; write one such as 30s, 5m or 1h30m", u.Timeout)
	case u.Digest != "":
		return errors.New("upstream.digest: it is for upstream.source; a command may render one version differently")
	}
	return nil
}

// ReadUpstream returns the upstream in the text of a .resource-merge.yaml, nil if it has none. It looks
// at no other field, so it also reads former texts of the file, from a repository's history.
func ReadUpstream(text []byte) (*Upstream, error) {
	u, err := readUpstream(text)
	return u, redacted(err)
}

func readUpstream(text []byte) (*Upstream, error) {
	_, n, err := upstreamNode(text)
	if err != nil || n == nil {
		return nil, err
	}
	var u Upstream
	if err := checkShape("upstream", n, reflect.TypeFor[Upstream]()); err != nil {
		return nil, err
	}
	for name, field := range u.fields() {
		*field = yamlnode.Text(yamlnode.Resolve(yamlnode.Field(n, name)))
	}
	if command := yamlnode.Resolve(yamlnode.Field(n, "command")); command != nil {
		u.Command = []string{}
		for _, argument := range yamlnode.Elements(command) {
			u.Command = append(u.Command, yamlnode.Text(yamlnode.Resolve(argument)))
		}
	}
	if err := u.check(); err != nil {
		return nil, err
	}
	return &u, nil
}

// fields returns the fields that are strings, by name.
func (u *Upstream) fields() iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) {
		_ = yield("source", &u.Source) && yield("timeout", &u.Timeout) && yield("version", &u.Version) && yield("digest", &u.Digest)
	}
}

// upstreamNode returns the root of a config, nil for an empty one, and its upstream, nil if it has none.
func upstreamNode(text []byte) (root, upstream *yaml.Node, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, nil, explained(err, text)
	}
	if len(document.Content) == 0 {
		return nil, nil, nil
	}
	root = document.Content[0]
	return root, yamlnode.Resolve(yamlnode.Field(root, "upstream")), nil
}

// explained returns the error of YAML in a config, with its likely cause and without a text of the config.
func explained(err error, text []byte) error {
	err = errors.New(resourcelist.WithoutAnchor(err.Error()))
	words := wording.Indentation(err.Error(), text)
	isKnown := words != err.Error()
	if err = errors.New(words); bytes.Contains(text, []byte(VersionMark)) && (!isKnown || strings.Contains(words, "is not closed")) {
		return fmt.Errorf("%w (in brackets, a text with %s needs quotes)", err, VersionMark)
	}
	return err
}

// WithUpstream returns the text of a .resource-merge.yaml, which may be empty, with another upstream.
// All other bytes stay. A field that u leaves empty stays, too.
func WithUpstream(text []byte, u Upstream) ([]byte, error) {
	root, n, err := upstreamNode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Config, err)
	}
	out := text
	switch {
	case n == nil && root != nil && (root.Kind != yaml.MappingNode || !yamlnode.IsBlock(root) || yamlnode.Field(root, "prefer") != nil):
		return nil, fmt.Errorf("%s: upstream can be added only to a map over lines; write conflicts: on a line, and rules: with a list of rules below it", file.Config)
	case n == nil:
		out = slices.Concat(text, newUpstream(u, text))
	default:
		for name, field := range u.fields() {
			if out, err = withField(out, name, *field); err != nil {
				return nil, err
			}
		}
	}
	if after, err := ReadUpstream(out); err != nil || !after.has(u) {
		return nil, fmt.Errorf("%s: upstream cannot be edited; write it by hand: version: %s", file.Config, scalar(u.Version))
	}
	return out, nil
}

// has reports whether u has the strings that other has.
func (u *Upstream) has(other Upstream) bool {
	known := map[string]string{}
	if u != nil {
		for name, field := range u.fields() {
			known[name] = *field
		}
	}
	for name, field := range other.fields() {
		if *field != "" && known[name] != *field {
			return false
		}
	}
	return true
}

// newUpstream returns the lines of an upstream to follow a text.
func newUpstream(u Upstream, text []byte) []byte {
	end := stream.LineEnd(text)
	lines := "upstream:" + end
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		lines = end + lines
	}
	for name, field := range u.fields() {
		if *field != "" {
			lines += "  " + name + ": " + scalar(*field) + end
		}
	}
	return []byte(lines)
}

// scalar returns a string as YAML on one line.
func scalar(text string) string {
	if strings.ContainsAny(text, "{}[],") {
		return fmt.Sprintf("%q", text)
	}
	out, err := yaml.Marshal(text)
	if err != nil {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// withField returns the text of a config that has an upstream with another value of a field of it. A new
// field follows the version.
func withField(text []byte, name, value string) ([]byte, error) {
	_, n, err := upstreamNode(text)
	if err != nil || value == "" {
		return text, err
	}
	old := yamlnode.Resolve(yamlnode.Field(n, name))
	if old != nil && old.Value == value {
		return text, nil
	}
	if at, end := extent(text, old); old != nil {
		if at == end {
			return nil, fmt.Errorf("%s: upstream.%s cannot be edited; write it by hand: %[2]s: %s", file.Config, name, scalar(value))
		}
		return slices.Concat(text[:at], []byte(styled(old, value)), text[end:]), nil
	}
	return addField(text, n, name, value), nil
}

// addField returns the text of a config with a new field of its upstream, which follows the version.
func addField(text []byte, n *yaml.Node, name, value string) []byte {
	_, end := extent(text, yamlnode.Resolve(yamlnode.Field(n, "version")))
	more := ", " + name + ": " + scalar(value)
	if yamlnode.IsBlock(n) {
		more = stream.LineEnd(text) + strings.Repeat(" ", n.Column-1) + strings.TrimPrefix(more, ", ")
		end += len(text[end:]) - len(bytes.TrimLeftFunc(text[end:], func(r rune) bool { return r != '\n' }))
		if end > 0 && end < len(text) && text[end-1] == '\r' {
			end--
		}
	}
	return slices.Concat(text[:end], []byte(more), text[end:])
}

// extent returns the bytes of a text that a scalar takes, none if it has a form that withField cannot
// edit, such as one over several lines.
func extent(text []byte, n *yaml.Node) (at, end int) {
	if n == nil {
		return len(text), len(text)
	}
	for range n.Line - 1 {
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	for _, written := range []string{`"` + n.Value + `"`, "'" + n.Value + "'", n.Value} {
		if bytes.HasPrefix(text[at:], []byte(written)) {
			return at, at + len(written)
		}
	}
	return at, at
}

// styled returns a string with the quotes of a scalar.
func styled(like *yaml.Node, text string) string {
	switch quotes := like.Style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle); {
	case strings.ContainsAny(text, `'"\`):
	case quotes == yaml.DoubleQuotedStyle:
		return `"` + text + `"`
	case quotes == yaml.SingleQuotedStyle:
		return "'" + text + "'"
	}
	return scalar(text)
}
