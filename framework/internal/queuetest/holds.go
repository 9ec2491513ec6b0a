package queuetest

import (
	"regexp"
	"strconv"
	"strings"
)

// Holds reports whether an output has a text. A number counts as a whole word only, since the IDs
// of an output may have the same digits.
func Holds(output, text string) bool {
	if _, err := strconv.Atoi(text); err == nil {
		return regexp.MustCompile(`\b` + text + `\b`).MatchString(output)
	}
	return strings.Contains(output, text)
}
