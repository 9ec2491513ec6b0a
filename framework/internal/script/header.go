package script

import (
	"regexp"
	"slices"
	"strings"
)

// header is what a file of Lua says of itself in the comment at its top:
//
//	-- name: what it does.
//	-- Needs: fragments, by name
//	-- KEYS: 1 first key  2 second key
//	-- ARGV: 1 first argument
//	-- Reply: what it returns
//
// A field goes on over lines that are indented. Other lines, behind the fields or between
// them, say more to the reader.
//
// A fragment has no KEYS, ARGV and Reply, unless scripts share them. It may have
//
//	-- Function: name(arguments)
//	-- Constants: why
//
// Of a function the file is the body, with the fragments that it needs in it: Lua makes
// each helper anew whenever a script runs, which would cost a plain run more than its
// work. Constants are put in place of their names, which costs no run anything.
type header struct {
	name   string
	fields map[string]string
}

var (
	headerFields = []string{"Needs", "Function", "Constants", "KEYS", "ARGV", "Reply"}
	headerLine   = regexp.MustCompile(`^-- (\w[\w/]*): (.+)$`)
	headerMore   = regexp.MustCompile(`^--   +(\S.*)$`)
)

// headerOf reads the header of a file.
func headerOf(text string) header {
	h := header{fields: map[string]string{}}
	field := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "--") {
			break
		}
		if m := headerMore.FindStringSubmatch(line); m != nil && field != "" {
			h.fields[field] += " " + m[1]
			continue
		}
		m := headerLine.FindStringSubmatch(line)
		switch {
		case m != nil && h.name == "":
			h.name, field = m[1], ""
		case m != nil && slices.Contains(headerFields, m[1]):
			field = m[1]
			h.fields[field] = m[2]
		default:
			field = ""
		}
	}
	return h
}

func (h header) needs() []string { return strings.Fields(h.fields["Needs"]) }
