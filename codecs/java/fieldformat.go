package java

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// FieldFormat is what Jackson's annotations say of a field. Jackson's codecs follow it, and all
// others ignore it, as Java does. The zero value is a field without annotations.
type FieldFormat struct {
	// Name is the name in JSON (@JsonProperty, @JsonNaming), "-" for a field that is left out
	// (@JsonIgnore), and empty for the name of the field.
	Name    string
	Aliases string       // other names that are read (@JsonAlias), with | between them
	Shape   FieldShape   // @JsonFormat(shape), @JsonSerialize(using = ToStringSerializer.class)
	Include FieldInclude // @JsonInclude
	Pattern string       // @JsonFormat(pattern)
	Zone    string       // @JsonFormat(timezone): a name of the time zone database, GMT+8 or +08:00
}

// FieldShape is the shape of @JsonFormat.
type FieldShape uint8

// The shapes of a field.
const (
	ShapeUsual  FieldShape = iota
	ShapeText              // numbers and dates are texts
	ShapeNumber            // dates are milliseconds or arrays, enums ordinals
)

// FieldInclude is the value of @JsonInclude.
type FieldInclude uint8

// When a field is left out.
const (
	IncludeUsual    FieldInclude = iota // as the codec does it
	IncludeNonNull                      // where it is null
	IncludeNonEmpty                     // where it is null, an empty text or an empty container
	IncludeAlways                       // never: null is written
)

// flags are the words of a tag that stand for themselves.
var flags = map[string]FieldFormat{
	"text": {Shape: ShapeText}, "number": {Shape: ShapeNumber},
	"omitnull": {Include: IncludeNonNull}, "omitempty": {Include: IncludeNonEmpty}, "always": {Include: IncludeAlways},
}

const (
	nameFlag   = "json="
	aliasFlag  = "alias="
	zoneFlag   = "zone="
	formatFlag = "format="
)

// String returns the flags of a tag, with a comma before each.
func (f FieldFormat) String() string {
	var out strings.Builder
	if f.Name != "" {
		out.WriteString("," + nameFlag + f.Name)
	}
	if f.Aliases != "" {
		out.WriteString("," + aliasFlag + f.Aliases)
	}
	out.WriteString([...]string{"", ",text", ",number"}[f.Shape])
	out.WriteString([...]string{"", ",omitnull", ",omitempty", ",always"}[f.Include])
	if f.Zone != "" {
		out.WriteString("," + zoneFlag + f.Zone)
	}
	if f.Pattern != "" {
		out.WriteString("," + formatFlag + f.Pattern)
	}
	return out.String()
}

// Set takes one flag of a tag, such as text or zone=GMT+8. It reports false for what is none, and
// returns an error for a flag that is there already or says nothing.
func (f *FieldFormat) Set(flag string) (bool, error) {
	if only, ok := flags[flag]; ok {
		switch {
		case only.Shape != 0 && f.Shape == only.Shape || only.Include != 0 && f.Include == only.Include:
			return true, fmt.Errorf("flag %s is given twice", flag)
		case only.Shape != 0 && f.Shape != 0:
			return true, errors.New("text and number exclude each other")
		case only.Include != 0 && f.Include != 0:
			return true, errors.New("omitnull, omitempty and always exclude each other")
		}
		f.Shape, f.Include = max(f.Shape, only.Shape), max(f.Include, only.Include)
		return true, nil
	}
	name, value, ok := strings.Cut(flag, "=")
	to := map[string]*string{nameFlag: &f.Name, aliasFlag: &f.Aliases, zoneFlag: &f.Zone, formatFlag: &f.Pattern}[name+"="]
	switch {
	case !ok || to == nil:
		return false, nil
	case *to != "":
		return true, fmt.Errorf("flag %s is given twice", name)
	case value == "" && name+"=" == zoneFlag:
		return true, errZone
	case value == "":
		return true, fmt.Errorf("flag %s is empty", name)
	}
	*to = value
	if to == &f.Zone {
		_, err := f.Location()
		return true, err
	}
	return true, nil
}

// AliasNames returns the names in Aliases.
func (f FieldFormat) AliasNames() []string {
	return strings.FieldsFunc(f.Aliases, func(r rune) bool { return r == '|' })
}

// OmitsEmpty reports whether the flag omitempty is there.
func (f FieldFormat) OmitsEmpty() bool { return f.Include == IncludeNonEmpty }

// values reports whether it says how values are written.
func (f FieldFormat) values() bool { return f.Shape != 0 || f.Pattern != "" || f.Zone != "" }

var errZone = errors.New("flag zone needs the name of a time zone, such as zone=Europe/Berlin, zone=GMT+8 or zone=+08:00")

// Location returns the time zone, nil where there is none. That of the machine is none: another
// machine has another.
func (f FieldFormat) Location() (*time.Location, error) {
	switch offset, gmt := strings.CutPrefix(f.Zone, "GMT"); {
	case f.Zone == "":
		return nil, nil
	case f.Zone == "Local":
		return nil, errZone
	case gmt && offset == "":
		return time.UTC, nil
	case gmt:
		if seconds, err := ParseZoneOffset(padded(offset)); err == nil {
			return time.FixedZone(f.Zone, int(seconds)), nil
		}
	}
	if offset, err := ParseZoneOffset(f.Zone); err == nil {
		return time.FixedZone(f.Zone, int(offset)), nil
	}
	zone, err := time.LoadLocation(f.Zone)
	if err != nil {
		return nil, fmt.Errorf("flag zone: %w", err)
	}
	return zone, nil
}

// padded returns +8, +0830 and +8:30 as +08:00 and +08:30, anything else as it is.
func padded(offset string) string {
	if len(offset) < 2 || strings.Trim(offset[1:], "0123456789:") != "" {
		return offset
	}
	hours, minutes, colon := strings.Cut(offset[1:], ":")
	if len(hours) == 4 && !colon {
		hours, minutes = hours[:2], hours[2:]
	}
	return fmt.Sprintf("%c%02s:%02s", offset[0], hours, minutes)
}

// Class returns the class of the values that the flags of a field are about: of lists, arrays,
// maps and holders of what these hold.
func (f FieldFormat) Class(t TypeExpr) TypeExpr {
	for range maxTypeDepth {
		switch n := len(t.Args); {
		case t.Dims > 0:
			t.Dims--
		case n > 0 && (jdk.Holders[t.Class] != nil || strings.HasPrefix(t.Class, "java.util.") || t.Class == "java.lang.Iterable"):
			t = t.Args[n-1]
		default:
			return t
		}
	}
	return t
}

// Instant reports whether the values of a field are points in time, which texts show in a time zone.
func (f FieldFormat) Instant(declared TypeExpr) bool { return instants[f.Class(declared).Class] }

// instants are the classes of dates that a pattern shows in a time zone, and clocks those that
// have none.
var (
	instants = map[string]bool{
		ClassDate: true, "java.sql.Timestamp": true, "java.util.Calendar": true, "java.util.GregorianCalendar": true,
		"java.time.Instant": true, "java.time.OffsetDateTime": true, "java.time.ZonedDateTime": true,
	}
	clocks  = map[string]bool{"java.time.LocalDateTime": true, "java.time.LocalDate": true, "java.time.LocalTime": true}
	numbers = map[string]bool{
		"java.lang.Byte": true, "java.lang.Short": true, "java.lang.Integer": true, "java.lang.Long": true, "java.lang.Float": true,
		"java.lang.Double": true, "java.math.BigInteger": true, "java.math.BigDecimal": true,
	}
)

// Check returns an error where the flags make no sense for a field of that declared type and Go
// type, which says for which fields they do.
func (f FieldFormat) Check(declared TypeExpr, t reflect.Type) error {
	if !f.values() {
		return nil
	}
	class := f.Class(declared).Boxed().Class
	dates := instants[class] || clocks[class]
	enum := isEnum(class, t)
	switch {
	case f.Pattern != "" && !dates:
		return fmt.Errorf("format is for Date, Timestamp, Calendar, LocalDateTime, LocalDate, LocalTime, Instant, OffsetDateTime and ZonedDateTime, "+
			"and the field is declared as %s", cmp.Or(class, "nothing that tells"))
	case f.Pattern != "" && f.Shape == ShapeNumber:
		return errors.New("format makes a text of a date, and number a number")
	case f.Shape == ShapeNumber && !dates && !enum:
		return fmt.Errorf("number is for dates and enums, and the field is declared as %s", cmp.Or(class, "nothing that tells"))
	case f.Shape == ShapeText && declared.Dims > 0 && f.Class(declared).Primitive():
		return errors.New("text is not for arrays of primitives: Java writes numbers there")
	case f.Shape == ShapeText && !dates && !enum && !numbers[class] && class != "java.time.Duration":
		return fmt.Errorf("text is for numbers, dates and enums, and the field is declared as %s", cmp.Or(class, "nothing that tells"))
	case f.Pattern == "" && f.Zone != "" && class != "java.time.LocalDateTime" && (f.Shape != ShapeText || strings.HasPrefix(class, "java.time.")):
		return errors.New("zone is for a field with a format, for the text of a Date, and for a time.Time declared as java.time.LocalDateTime")
	case f.Pattern != "" && f.Zone == "" && class == "java.time.Instant":
		return errors.New("an Instant with a format needs a zone, as in zone=GMT+8: Java fails without @JsonFormat(timezone = …)")
	}
	return nil
}

// isEnum reports whether a class may be an enum by the Go type that carries it.
func isEnum(class string, t reflect.Type) bool {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	switch {
	case strings.HasPrefix(class, "java.lang.") || class == "":
		return false
	case t == nil || t == reflect.TypeFor[Enum]():
		return true
	}
	return t.Kind() == reflect.String || t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64
}
