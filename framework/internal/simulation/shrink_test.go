//go:build simulation

package simulation

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// shrink leaves out steps of a plan that its finding does not need: halves first, then
// smaller parts, as long as the run that is left finds something of the same kind. A replay follows its record
// until it comes to what was left out.
func shrink(t *testing.T, p plan, h how, finding string, until time.Time) (plan, outcome) {
	t.Helper()
	kept := play(t, p, h)
	for size := (len(p.steps) + 1) / 2; size > 0 && time.Now().Before(until); size /= 2 {
		for at := 0; at < len(p.steps) && time.Now().Before(until); {
			less := p.without(at, min(at+size, len(p.steps)))
			out := play(t, less, h)
			if len(out.findings) > 0 && sort(out.findings[0]) == sort(finding) {
				p, kept = less, out
				t.Logf("%d steps are left", len(p.steps))
				continue
			}
			at += size
		}
	}
	return p, kept
}

var (
	quoted  = regexp.MustCompile(`"[^"]*"|\([^)]*\)`)
	numbers = regexp.MustCompile(`[0-9][0-9a-z.:]*`)
)

// sort says of which sort a finding is: its first line without what is particular.
func sort(finding string) string {
	line, _, _ := strings.Cut(finding, "\n")
	return numbers.ReplaceAllString(quoted.ReplaceAllString(line, "…"), "#")
}
