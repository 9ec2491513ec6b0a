package look

import (
	"fmt"
	"math"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

// Finding is a finding in JSON.
type Finding struct {
	Check    string  `json:"check"`
	State    string  `json:"state,omitempty"`
	Severity string  `json:"severity"`
	Queue    string  `json:"queue,omitempty"`
	Message  string  `json:"message"`
	Evidence string  `json:"evidence,omitempty"`
	Advice   string  `json:"advice"`
	Command  string  `json:"command,omitempty"` // runs as printed
	Age      float64 `json:"age,omitempty"`     // seconds: of the oldest reading behind it
	Count    int64   `json:"count,omitempty"`
	Fixable  bool    `json:"fixable,omitempty"`
	Fixed    int64   `json:"fixed,omitempty"`
}

// Findings are those of a verdict in JSON.
func Findings(v admin.Verdict) (out []Finding) {
	for _, f := range v.Findings {
		out = append(out, findingLine(f))
	}
	return out
}

func findingLine(f admin.Finding) Finding {
	return Finding{f.Check, f.State, string(f.Severity), f.Queue, f.Message, f.Evidence, f.Advice, f.Command, f.Age.Seconds(), f.Count, f.Fixable, f.Fixed}
}

// PrintFinding prints a finding, its last error, what to do, and the command that does it.
func PrintFinding(e *env.Env, f admin.Finding) error {
	if e.JSON {
		return e.Line(findingLine(f))
	}
	where := "redis"
	if f.Queue != "" {
		where = screen.Name(f.Queue)
	}
	word := f.Check
	if f.State != "" {
		word = f.State
	}
	_, err := fmt.Fprintf(e.Stdout, "%s %s: %s: %s\n", Paint(f.Severity, fmt.Sprintf("%-7s", strings.ToUpper(string(f.Severity)))), where, word, printable(f.Message))
	lines := []string{f.Advice}
	if f.Evidence != "" {
		lines = []string{"last error: " + f.Evidence, f.Advice}
	}
	if f.Fixed > 0 {
		lines = []string{fmt.Sprintf("fixed: %d", f.Fixed)}
	} else if f.Command != "" {
		lines = append(lines, "  "+f.Command)
	}
	for _, line := range lines {
		if err == nil {
			_, err = fmt.Fprintf(e.Stdout, "        %s\n", printable(line))
		}
	}
	return err
}

func printable(text string) string { return codecs.Printable(text, math.MaxInt) }

// Paint paints a text as its severity.
func Paint(s admin.Severity, text string) string {
	switch s {
	case admin.SeverityError:
		return screen.Red.On(text)
	case admin.SeverityWarning:
		return screen.Yellow.On(text)
	case admin.SeverityInfo:
	}
	return text
}

// StateText is the verdict of a queue in one line, with its paint.
func StateText(v admin.Verdict) string { return Paint(v.Severity, screen.Clean(v.Text())) }
