package codectest

import (
	"os"
	"strings"
)

// Rows are the lines of a file, cut at tabs, without empty ones and comments (#).
func Rows(tb TB, file string) [][]string {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

// Golden holds got to what a file has, or writes the file where update says so.
func Golden(tb TB, file, got string, update bool) {
	tb.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			tb.Fatalf("%v", err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatalf("%v", err)
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || line != want[i] {
			tb.Fatalf("%s differs at line %d; run with -update and look at the difference\ngot: %s", file, i+1, line)
		}
	}
	if len(text) != len(got) {
		tb.Fatalf("%s has %d bytes, got %d", file, len(text), len(got))
	}
}
