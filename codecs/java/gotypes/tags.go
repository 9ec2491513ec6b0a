package gotypes

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs/java"
)

// TagKey is the one struct tag key of this module.
const TagKey = "java"

// TagError says which struct tag is wrong and why.
type TagError struct {
	Type   reflect.Type // the struct
	Field  string       // Go field path, for example "Address.Street"
	Tag    string       // the tag as written; empty where the field has none
	Reason string
	Err    error // underlying error, may be nil
}

// Error formats all that is known in one line.
func (e *TagError) Error() string {
	s := fmt.Sprintf("field %s of %s", e.Field, e.Type)
	if e.Tag != "" {
		s += fmt.Sprintf(" with tag %s:%q", TagKey, e.Tag)
	}
	s += ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the underlying error.
func (e *TagError) Unwrap() error { return e.Err }

// Tag is one parsed struct tag.
type Tag struct {
	Name   string        // Java field name; "" when the tag gives none
	Type   java.TypeExpr // zero when the tag gives none
	Format java.FieldFormat
	Skip   bool // the tag is "-"
}

// ParseTag reads the value of a java tag: name[,type expression][,flags].
// Each part may be empty. Commas inside <…> belong to the type expression. The
// flags are those of a [java.FieldFormat], and may take the place of the type expression:
//
//	json=NAME       the name in JSON; json=- leaves the field out there
//	alias=A|B       other names that are read
//	text            numbers and dates are texts
//	number          dates are milliseconds or arrays, enums ordinals
//	omitnull        it is left out where it is null
//	omitempty       it is left out where it is null or empty; of maps where it is zero
//	always          it is written where it is null
//	zone=NAME       of a format, or where a time.Time is a java.time.LocalDateTime
//	format=PATTERN  of dates; it takes the rest of the tag
//
// A tag of "-" skips the field; "-," names it "-".
func ParseTag(tag string) (Tag, error) {
	if tag == "-" {
		return Tag{Skip: true}, nil
	}
	tag, pattern, patterned := strings.Cut(tag, ","+formatFlag)
	parts, err := splitTag(tag)
	if patterned {
		parts = append(parts, formatFlag+pattern)
	}
	if err != nil {
		return Tag{}, err
	}
	t := Tag{Name: strings.TrimSpace(parts[0])}
	for _, r := range t.Name {
		if unicode.IsSpace(r) || strings.ContainsRune(`<>",;`, r) {
			return Tag{}, fmt.Errorf("%q is no Java field name", t.Name)
		}
	}
	if flag, _ := new(java.FieldFormat).Set(t.Name); flag && strings.Contains(t.Name, "=") {
		return Tag{}, fmt.Errorf("%q stands where the Java field name does: put a comma before it", t.Name)
	}
	for i, part := range parts[1:] {
		if !strings.HasPrefix(part, formatFlag) {
			part = strings.TrimSpace(part)
		}
		if part == "" {
			continue
		}
		switch flag, err := t.Format.Set(part); {
		case err != nil:
			return Tag{}, err
		case flag:
		case i > 0:
			return Tag{}, fmt.Errorf("unknown flag %q: there are %s", part, allFlags)
		default:
			if t.Type, err = java.ParseType(part); err != nil {
				return Tag{}, err
			}
		}
	}
	return t, nil
}

// splitTag cuts at the commas outside <…>.
func splitTag(tag string) ([]string, error) {
	var parts []string
	depth, start := 0, 0
	for i := range len(tag) {
		switch tag[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("> without < at character %d", i+1)
			}
		case ',':
			if depth == 0 {
				parts = append(parts, tag[start:i])
				start = i + 1
			}
		}
	}
	if depth > 0 {
		return nil, errors.New("< without >")
	}
	return append(parts, tag[start:]), nil
}

// DefaultName returns the Java field name of a Go field without a name in its
// tag: the leading capitals in lower case, except for the last one where a
// lower-case letter follows. OrderID gives orderID, ID gives id and URLPath
// gives urlPath.
func DefaultName(goName string) string {
	runes := []rune(goName)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

const (
	formatFlag = "format="
	allFlags   = "json=NAME, alias=NAME|NAME, text, number, omitnull, omitempty, always, zone=NAME and, as the last one, format=PATTERN"
)
