package connect

import (
	"fmt"
	"iter"
	"maps"
	"strings"
)

// InfoFields returns what INFO answers, by name.
func InfoFields(info string) map[string]string { return maps.Collect(infoLines(info)) }

// infoLines returns the lines name:value of what INFO answers, in their order.
func infoLines(info string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(info) {
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !yield(name, value) {
				return
			}
		}
	}
}

// OtherDatabases says which other databases hold keys, by the reply of INFO keyspace.
func OtherDatabases(info string, own int) string {
	var found []string
	for name, what := range infoLines(info) {
		if !strings.HasPrefix(name, "db") || name == fmt.Sprintf("db%d", own) {
			continue
		}
		count, _, _ := strings.Cut(strings.TrimPrefix(what, "keys="), ",")
		found = append(found, fmt.Sprintf("%s (%s keys)", name, count))
	}
	if len(found) == 0 {
		return ""
	}
	return "; other databases hold keys: " + strings.Join(found, ", ")
}
