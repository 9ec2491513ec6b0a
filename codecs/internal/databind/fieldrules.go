package databind

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/naming"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// ofField returns the rules for the values of a field of that type, nil where its annotations
// say nothing of them.
func (r *Rules) ofField(f java.FieldFormat, t java.TypeExpr) (*Rules, error) {
	if f.Shape == java.ShapeUsual && f.Pattern == "" && f.Zone == "" {
		return nil, nil
	}
	zone, err := f.Location()
	if err != nil {
		return nil, err
	}
	own, class := *r, f.Class(t).Boxed().Class
	switch own.shape = f.Shape; f.Shape {
	case java.ShapeText:
		own.ordinals = false
	case java.ShapeNumber:
		own.ordinals, own.date, own.local = true, nil, nil
	default:
	}
	if row := jdk.TimeClass(class); row != nil {
		if f.Pattern == "" {
			return &own, nil
		}
		if zone == nil {
			zone = r.contextZone()
		}
		p, wrong := localPattern(f.Pattern, row, zone)
		own.local = map[string]*pattern{class: p}
		return &own, wrong
	}
	if r.OwnDates && (class == java.ClassDate || strings.HasPrefix(class, "java.sql.") || r.Jackson == 3 && f.Shape == java.ShapeNumber) {
		own.shape, own.date, own.ordinals = r.shape, r.date, r.ordinals
		return &own, nil
	}
	own.date, err = own.datePattern(f.Pattern, zone)
	return &own, err
}

// datePattern returns how dates of a field are written: in a zone, or that of the mapper, which is
// UTC where it has none. Without a text of its own the pattern is that of the mapper.
func (r *Rules) datePattern(text string, zone *time.Location) (*pattern, error) {
	switch {
	case zone == nil && text == "":
		return r.date, nil
	case zone == nil && r.zone != nil:
		zone = r.zone
	case zone == nil:
		zone = time.UTC
	case text == "" && r.date != nil:
		own := *r.date
		own.zone, own.early = zone, earlyZone(zone)
		return &own, nil
	case text == "":
		return r.isoPattern(zone), nil
	}
	return simplePattern(text, zone)
}

// isoPattern is that of Jackson's StdDateFormat in a zone.
func (r *Rules) isoPattern(zone *time.Location) *pattern {
	p, _ := simplePattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", zone) // it has letters that are carried
	switch utc, _ := r.dateZone(); utc {
	case "+0000":
		p.parts[len(p.parts)-1].letter = 'Z'
	case "+00:00": // which XXX gives as Z
		p.parts[len(p.parts)-1].letter = 'x'
	}
	return p
}

// setDates makes the pattern of dates that are ISO 8601 in the time zone of the mapper, when all
// options are known.
func (r *Rules) setDates() {
	if _, text := r.dateZone(); text && r.zone != nil && r.date == nil {
		r.date = r.isoPattern(r.zone)
	}
}

// contextZone returns the zone in which java.time is written that has an offset, nil for its
// own: since Jackson 2.13 that of the mapper, where it was set.
func (r *Rules) contextZone() *time.Location {
	if r.Release.Before(option.Release{3, 17, 0}) {
		return nil
	}
	return r.zone
}

// numberText returns a number that is a text on the wire, and its class; empty for all others.
func (r *Rules) numberText(v any) (text, class string) {
	if n, ok := v.(int64); ok && (r.longText || r.shape == java.ShapeText) {
		return strconv.FormatInt(n, 10), classJavaLong
	}
	if r.shape != java.ShapeText {
		return "", ""
	}
	switch v := v.(type) {
	case int32:
		return strconv.Itoa(int(v)), "java.lang.Integer"
	case int16:
		return strconv.Itoa(int(v)), "java.lang.Short"
	case int8:
		return strconv.Itoa(int(v)), "java.lang.Byte"
	case float64:
		return string(javatext.AppendDouble(nil, v)), "java.lang.Double"
	case float32:
		return string(javatext.AppendFloat(nil, v)), "java.lang.Float"
	case *big.Int:
		return v.String(), "java.math.BigInteger"
	case java.BigDecimal:
		return v.String(), classBigDecimal
	}
	return "", ""
}

// textual reports whether numberText may return a text.
func (r *Rules) textual() bool { return r.longText || r.shape == java.ShapeText }

// wire returns the name of a property in the payload, "" where it is left out.
func (r *Rules) wire(name string, f java.FieldFormat) string {
	switch {
	case f.Name == "-":
		return ""
	case f.Name != "":
		return f.Name
	case r.mapper.Naming != NoNaming:
		return naming.Strategies[namings[r.mapper.Naming]](name)
	}
	return name
}

// within returns the place of a field, or that of what a list or map there holds, with rules of
// its own.
func (d *place) within(rules *Rules) *place {
	if rules == nil {
		return d
	}
	own := *d
	if d.element != nil {
		own.element = d.element.within(rules)
	} else {
		own.rules = rules
	}
	return &own
}

// dropsNull reports whether a property that is null is left out, where the codec writes null or
// not.
func dropsNull(f java.FieldFormat, written bool) bool {
	switch f.Include {
	case java.IncludeAlways:
		return false
	case java.IncludeUsual:
		return !written
	default:
		return true
	}
}

// emptyValue reports whether @JsonInclude(NON_EMPTY) leaves out a value.
func emptyValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case java.Text:
		return v.Value == ""
	case []byte:
		return len(v) == 0
	case *java.List:
		return v == nil || len(v.Elements) == 0
	case *java.Map:
		return v == nil || len(v.Entries) == 0
	case *java.Object:
		held, ok := v.Get("value")
		return v != nil && holder(v) && (!ok || emptyValue(held))
	}
	return false
}

// ordinal returns the ordinal of a constant, and whether it is known.
func (w *writer) ordinal(e java.Enum) (int, bool) {
	n := e.Ordinal
	if b := w.beans[e.Class]; b != nil && b.enum != nil {
		n = b.enum.Ordinal(e.Name)
	} else if row := jdk.OfClass(e.Class); row != nil && row.Ordinal != nil {
		n = row.Ordinal(e)
	}
	return n, n >= 0
}

// firstOf returns the properties that @JsonPropertyOrder of a class or a superclass puts first.
func firstOf(c *java.Class, set *java.Classes) []string {
	for range maxTypeDepth {
		if c == nil || len(c.Order) > 0 {
			break
		}
		c = set.Find(c.Super.Class)
	}
	if c == nil {
		return nil
	}
	return c.Order
}

// putFirst puts the properties that stand before the others in front, where b has some.
func (b *bean) putFirst() {
	rank := func(f beanField) int {
		for _, name := range [...]string{f.wire, f.name} {
			if at := slices.Index(b.first, name); at >= 0 {
				return at
			}
		}
		return len(b.first)
	}
	slices.SortStableFunc(b.fields, func(x, y beanField) int { return rank(x) - rank(y) })
}
