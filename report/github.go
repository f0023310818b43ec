package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
)

// writeGitHub writes the report as workflow commands of GitHub Actions, which shows them as annotations
// (rules/reports: formats).
func writeGitHub(w io.Writer, r *Report) error {
	var b strings.Builder
	for _, n := range r.causes() {
		b.WriteString(annotation(levelFor(n.Severity, "notice"), "", n.File, n.Line, n.Message))
	}
	writeGitHubConflicts(&b, r)
	steps, err := r.stepsWithChanges()
	if err != nil {
		return err
	}
	for _, s := range steps {
		if s.Action != apply.Unchanged {
			message := strings.Join(append([]string{s.sentence}, s.lines()...), "\n")
			b.WriteString(annotation(levelFor(s.severity(), "notice"), sentenceCase(s.heading), s.file, s.line, message))
		}
	}
	for _, n := range r.Notices {
		if !n.isCause {
			b.WriteString(annotation(levelFor(n.Severity, "notice"), "", n.File, n.Line, n.Message))
		}
	}
	level := "notice"
	if r.Summary.Failed {
		level = "error"
	}
	b.WriteString(annotation(level, "resource-merge", "", 0, r.Summary.Message))
	_, err = io.WriteString(w, b.String())
	return err
}

// writeGitHubConflicts writes an annotation for each conflict.
func writeGitHubConflicts(b *strings.Builder, r *Report) {
	for _, it := range r.Resources {
		for _, c := range it.Conflicts {
			message := c.Message
			if len(c.Path) > 0 && !strings.Contains(message, c.Path) { // it was cut
				message = it.Subject + " " + c.Path + ": " + c.Description + valuesClause(r, c)
			}
			b.WriteString(annotation(c.Severity, "Conflict: "+c.Kind, c.File, c.Line, message))
		}
	}
}

// levelFor returns a severity as a tool names it, which has another word for an info.
func levelFor(severity, info string) string {
	if severity == "info" {
		return info
	}
	return severity
}

// valuesClause returns the three values of a conflict as the end of a sentence.
func valuesClause(r *Report, c *Conflict) string {
	return fmt.Sprintf(" (%s %s, %s %s, %s %s)", r.Sides[identity.Origin], c.Values[identity.Origin].Line,
		r.Sides[identity.Upstream], c.Values[identity.Upstream].Line, r.Sides[identity.Local], c.Values[identity.Local].Line)
}

// annotation returns one workflow command.
func annotation(level, title, file string, line int, message string) string {
	var properties []string
	for _, p := range [][2]string{{"file", file}, {"line", numberText(line)}, {"title", title}} {
		if p[1] != "" {
			properties = append(properties, p[0]+"="+escapeProperty(p[1]))
		}
	}
	lead := "::" + level
	if properties != nil {
		lead += " " + strings.Join(properties, ",")
	}
	return lead + "::" + escapeData(message) + "\n"
}

// numberText formats n, and returns "" for 0.
func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// escapeData escapes the message of a command.
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// escapeProperty escapes the value of a command's property.
func escapeProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
