package java

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
)

// TypeError says why a Go type cannot carry Java values. Codecs report it as
// codecs.BindError.
type TypeError struct {
	Type   reflect.Type // the Go type at fault
	Path   string       // field path from the compiled type; empty at the root
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *TypeError) Error() string {
	return describe(fmt.Sprintf("Go type %s", e.Type), e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *TypeError) Unwrap() error { return e.Err }

// AssignError says why a decoded value does not fit the Go type. Codecs report
// it as codecs.DecodeError.
type AssignError struct {
	Class  string       // Java class of the value; empty for null
	Type   reflect.Type // the Go type it should go into
	Path   string       // where in the value, for example "items[3].price"
	Reason string
}

// Error formats all that is known in one line.
func (e *AssignError) Error() string {
	return describe(fmt.Sprintf("%s into Go type %s", or(e.Class, "null"), e.Type), e.Path, e.Reason, nil)
}

// LowerError says why a Go value has no Java form. Codecs report it as
// codecs.EncodeError.
type LowerError struct {
	Type   reflect.Type // the Go type at fault; nil for a nil interface
	Path   string       // where in the value
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *LowerError) Error() string {
	return describe(fmt.Sprintf("Go type %v", e.Type), e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *LowerError) Unwrap() error { return e.Err }

func describe(what, path, reason string, err error) string {
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

// ClassError says what is wrong with the declaration of a Java class.
type ClassError struct {
	Class  string // its name, or the whole declaration where that does not read
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *ClassError) Error() string {
	return describe(fmt.Sprintf("Java class %q", clip(e.Class)), "", e.Reason, e.Err)
}

// Unwrap returns the underlying error.
func (e *ClassError) Unwrap() error { return e.Err }

// JoinPath puts the outer part of a path before the inner one: a field name, or
// an index in brackets. Of a long inner part only both ends are kept: it has been
// joined level by level, and values may nest thousands of levels.
func JoinPath(outer, inner string) string {
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
	case Enum:
		if named(k.Name) {
			return "[" + clip(k.Name) + "]"
		}
	case nil:
		return "[null]"
	}
	return clip("[" + or(ClassOf(k), fmt.Sprintf("%T", k)) + "]")
}

func textKey(s string) string {
	switch {
	case s == "":
		return `[""]`
	case named(s):
		return clip(s)
	}
	return fmt.Sprintf("[text of length %d]", len(s))
}

// named reports whether s is shaped like a name: ASCII letters, digits, _ and $, the
// first no digit. Only what is shown of a long one counts.
func named(s string) bool {
	for i := range min(len(s), maxKey) {
		switch c := s[i]; {
		case c == '_', c == '$', 'a' <= c|0x20 && c|0x20 <= 'z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// label returns the path part of a key for who looks into a payload: a field name for a
// plain identifier, else the key in brackets, or its class where it is not a scalar, of
// 64 bytes at most.
func label(k any) string {
	s, ok := k.(string)
	if !ok {
		return clip("[" + keyText(k) + "]")
	}
	head := s[:min(len(s), maxKey)]
	for i := range len(head) {
		if c := s[i]; c != '_' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return clip(fmt.Sprintf("[%q]", head))
		}
	}
	if s == "" {
		return `[""]`
	}
	return clip(s)
}

// maxKey bounds a key in a path.
const maxKey = 64

// keyText shows a key that is no String.
func keyText(k any) string {
	switch k := k.(type) {
	case *big.Int:
		return numberText(k)
	case BigDecimal:
		if k.Unscaled != nil && k.Unscaled.BitLen() > 256 {
			return numberText(k.Unscaled)
		}
	case Text:
		return clip(k.Value)
	case Enum:
		return clip(or(k.Name, strconv.Itoa(k.Ordinal)))
	case *Map, *List, *Object, *BitSet, Locale, Pattern, ZonedDateTime, Calendar:
		return clip(or(ClassOf(k), fmt.Sprintf("%T", k)))
	}
	if r := reflect.ValueOf(k); r.Kind() == reflect.Slice || r.Kind() == reflect.Map {
		return or(ClassOf(k), fmt.Sprintf("%T", k))
	}
	return fmt.Sprint(k)
}

func clip(s string) string {
	if len(s) > maxKey {
		return s[:maxKey-3] + "..."
	}
	return s
}

// under puts part before the path of the typed error in err.
func under(part string, err error) error {
	var assign *AssignError
	var lower *LowerError
	switch {
	case errors.As(err, &assign):
		assign.Path = JoinPath(part, assign.Path)
	case errors.As(err, &lower):
		lower.Path = JoinPath(part, lower.Path)
	}
	return err
}
