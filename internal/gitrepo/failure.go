package gitrepo

import (
	"strings"
	"unicode"
)

// Failure is an error of git.
type Failure struct {
	// Message is git's own word of what went wrong, in one line.
	Message string
	err     error
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return "git: " + f.err.Error()
	}
	return "git: " + f.Message
}

// Unwrap returns how the program ended.
func (f *Failure) Unwrap() error { return f.err }

// lastWord is the line in which git says what went wrong: its first fatal one,
// before which a server or ssh may have said why. What a server says may be
// anything: control characters go, and so do secrets.
func lastWord(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' })
	word := ""
	for _, line := range lines {
		line = printable(line)
		fatal, found := strings.CutPrefix(line, "fatal: ")
		switch {
		case found && word != "" && strings.HasPrefix(fatal, "Could not read from remote"):
			return Redact(word)
		case found:
			return Redact(fatal)
		case line != "" && !strings.HasSuffix(line, "%") && !strings.HasPrefix(line, "hint: "):
			word = strings.TrimPrefix(strings.TrimPrefix(line, "error: "), "remote: ")
		}
	}
	return Redact(word)
}

// printable is a line without what would not be seen in it.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "")))
}

// withoutUser is text without the user and the password of a URL, which git may
// also name elsewhere.
func withoutUser(text, repository string) string {
	scheme, rest, found := strings.Cut(repository, "://")
	host, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if !found || at <= 0 || strings.HasSuffix(scheme, "ssh") && !strings.Contains(host[:at], ":") {
		return text
	}
	return strings.ReplaceAll(text, host[:at+1], "")
}

// Redact is text without the users and passwords of the URLs in it. The user of
// an ssh URL is no secret.
func Redact(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "://")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("://")
		end := strings.IndexAny(after, "/?#'\" \t\n")
		if end < 0 {
			end = len(after)
		}
		at := strings.LastIndexByte(after[:end], '@')
		if user, _, _ := strings.Cut(after[:max(at, 0)], ":"); user != "" && strings.HasSuffix(before, "ssh") {
			out.WriteString(user + "@")
		}
		text = after[at+1:]
	}
}
