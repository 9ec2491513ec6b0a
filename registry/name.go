package registry

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds codes, keys and titles, in bytes: they are part of key names,
// log lines and metric attributes.
const maxName = 512

// nameFault says what is wrong with a code, key or title, or "".
func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxName:
		return fmt.Sprintf("it is %d bytes long, at most %d are allowed", len(name), maxName)
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	}
	if i := strings.IndexFunc(name, unicode.IsControl); i >= 0 {
		return fmt.Sprintf("it has a control character at byte %d", i)
	}
	if strings.TrimSpace(name) != name {
		return "it begins or ends with a space"
	}
	return ""
}
