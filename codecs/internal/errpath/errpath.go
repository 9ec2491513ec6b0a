// Package errpath says where in a value an error is.
package errpath

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// Line puts together what is known of an error.
func Line(what, path, reason string, err error) string {
	if path != "" {
		what = path + ": " + what
	}
	if reason != "" {
		what += ": " + reason
	}
	if err != nil {
		what += ": " + err.Error()
	}
	return what
}

// Join puts the outer part of a path before the inner one: a field name, or
// an index in brackets. Of a long inner part only both ends are kept: it has been
// joined level by level, and values may nest thousands of levels.
func Join(outer, inner string) string {
	if len(inner) > maxPath {
		inner = inner[:maxPath/2-1] + "…" + inner[len(inner)-maxPath/2:]
	}
	if outer == "" || inner == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// maxPath bounds, roughly, the bytes of a path.
const maxPath = 4096

// Key returns the path part of a map key, as errors may show it: a text that is shaped
// like the name of a field and the name of an enum constant as they are, else what kind
// of key it is, since keys such as numbers of accounts and mail addresses are private
// business. It is shortened to 64 bytes, before any work: a decoder calls it at each
// level above an error, with keys that hostile payloads share among levels.
func Key(k any) string {
	switch k := k.(type) {
	case string:
		return textKey(k)
	case nil:
		return "[null]"
	}
	if row := jdk.Of(k); row != nil && row.Ordinal != nil {
		if name, _ := row.Show(k); named(name) {
			return "[" + Clip(name) + "]"
		}
	}
	return Clip("[" + cmp.Or(jdk.ClassOf(k), fmt.Sprintf("%T", k)) + "]")
}

func textKey(s string) string {
	switch {
	case s == "":
		return `[""]`
	case named(s):
		return Clip(s)
	}
	return fmt.Sprintf("[text of length %d]", len(s))
}

// named reports whether s is shaped like a name: ASCII letters, digits, _ and $, the
// first no digit. Only what is shown of a long one counts.
func named(s string) bool {
	for i := range min(len(s), MaxKey) {
		switch c := s[i]; {
		case c == '_', c == '$', 'a' <= c|0x20 && c|0x20 <= 'z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// MaxKey bounds a key in a path.
const MaxKey = 64

// Clip shortens a text to 64 bytes.
func Clip(s string) string {
	if len(s) > MaxKey {
		return s[:MaxKey-3] + "..."
	}
	return s
}

// UnderDecode puts part, a field, a key or an index, before the path of the
// [*codecs.DecodeError] in err. All other errors, also nil, stay as they are.
func UnderDecode(part string, err error) error {
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		e.Path = Join(part, e.Path)
	}
	return err
}

// UnderEncode is [UnderDecode] for a [*codecs.EncodeError].
func UnderEncode(part string, err error) error {
	var e *codecs.EncodeError
	if errors.As(err, &e) {
		e.Path = Join(part, e.Path)
	}
	return err
}
