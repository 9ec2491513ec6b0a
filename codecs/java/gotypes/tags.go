package gotypes

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
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
	Name      string        // Java field name; "" when the tag gives none
	Type      java.TypeExpr // zero when the tag gives none
	OmitEmpty bool          // flag omitempty: a zero value is left out of maps
	Zone      string        // flag zone=…: where a time.Time is a java.time.LocalDateTime
	Skip      bool          // the tag is "-"
}

// ParseTag reads the value of a java tag: name[,type expression][,flags].
// Each part may be empty. Commas inside <…> belong to the type expression. The
// flags are omitempty and zone=NAME; they may take the place of the type expression.
// A tag of "-" skips the field; "-," names it "-".
func ParseTag(tag string) (Tag, error) {
	if tag == "-" {
		return Tag{Skip: true}, nil
	}
	parts, err := splitTag(tag)
	if err != nil {
		return Tag{}, err
	}
	t := Tag{Name: strings.TrimSpace(parts[0])}
	for _, r := range t.Name {
		if unicode.IsSpace(r) || strings.ContainsRune(`<>",;`, r) {
			return Tag{}, fmt.Errorf("%q is no Java field name", t.Name)
		}
	}
	for i, part := range parts[1:] {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case part == "omitempty":
			if t.OmitEmpty {
				return Tag{}, errors.New("flag omitempty is given twice")
			}
			t.OmitEmpty = true
		case strings.HasPrefix(part, zoneFlag):
			if t.Zone != "" {
				return Tag{}, errors.New("flag zone is given twice")
			}
			t.Zone = part[len(zoneFlag):]
			if _, err = loadZone(t.Zone); err != nil {
				return Tag{}, err
			}
		case i == 0:
			if t.Type, err = java.ParseType(part); err != nil {
				return Tag{}, err
			}
		default:
			return Tag{}, fmt.Errorf("unknown flag %q: there are omitempty and zone=NAME", part)
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

const zoneFlag = "zone="

// loadZone returns the zone of a tag: a name of the time zone database, or an offset such
// as +08:00. That of the machine is none: another machine has another.
func loadZone(name string) (*time.Location, error) {
	switch name {
	case "", "Local":
		return nil, errors.New("flag zone needs the name of a time zone, such as zone=Europe/Berlin or zone=+08:00")
	}
	if offset, err := java.ParseZoneOffset(name); err == nil {
		return time.FixedZone(name, int(offset)), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("flag zone: %w", err)
	}
	return zone, nil
}
