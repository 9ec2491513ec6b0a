package host

import (
	"regexp"
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	t.Parallel()
	if line := Line(); !regexp.MustCompile(`^\S.*, \d+ cores; go\S+ \w+/\w+$`).MatchString(line) || strings.Contains(line, "\n") {
		t.Errorf("%q", line)
	}
	if load := LoadAverage(); !regexp.MustCompile(`^(\d+\.\d+|unknown)$`).MatchString(load) {
		t.Errorf("%q", load)
	}
}
