package databind

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// beyondPattern is the reason why a date cannot be written by a pattern.
const beyondPattern = "a pattern shows dates from the year 1 to 9999, and offsets that are known"

const classSQLTime = "java.sql.Time"

// class returns the class that an object names: none where no classes are named.
func (w *writer) class(class string) string {
	if !w.rules.Types {
		return ""
	}
	return class
}

// dateText returns a date as text, and whether it is written so.
func (r *Rules) dateText(d java.Date) (text string, isText bool) {
	zone, isText := r.dateZone()
	switch {
	case d.Class == classSQLTime: // its toString, whatever the mapper says
		return time.UnixMilli(d.Millis).UTC().Format(time.TimeOnly), true
	case d.Class == "java.sql.Date" && r.Jackson == 2:
		text = dateText(d.Millis, zone)
		return text[:strings.IndexByte(text, 'T')], isText
	}
	return r.utilDate(d.Millis), isText
}

// utilDate returns a java.util.Date as text; empty where a pattern cannot show it.
func (r *Rules) utilDate(millis int64) string {
	if r.date != nil {
		text, _ := r.date.date(millis)
		return text
	}
	zone, _ := r.dateZone()
	return dateText(millis, zone)
}

// parseUtilDate reads a text as a java.util.Date: by the mapper's pattern, or ISO 8601.
func (r *Rules) parseUtilDate(text string) (millis int64, ok bool) {
	if r.date != nil {
		if millis, ok = r.date.millis(text); ok {
			return millis, true
		}
	}
	return parseDate(text)
}

// parseSQLTime reads the toString of a java.sql.Time, in UTC.
func parseSQLTime(s string) (millis int64, ok bool) {
	at, err := time.Parse(time.TimeOnly, s)
	return at.AddDate(1970, 0, 0).UnixMilli(), err == nil
}

// date writes a java.util.Date or one of java.sql.
func (w *writer) date(d java.Date, s slot) error {
	class := cmp.Or(d.Class, java.ClassDate)
	if native := w.native(); native != nil && class != classSQLTime && w.rules.shape == java.ShapeUsual && w.rules.date == nil {
		return w.wrapErr(class, s == slotTree, func() error { return w.reason(d, native.Timestamp(d.Millis)) })
	}
	text, isText := w.rules.dateText(d)
	if isText {
		if text == "" {
			return w.fail(d, beyondPattern)
		}
		return w.tagged(class, text, s == slotTree)
	}
	return w.wrap(class, s == slotTree, func() { w.gen.Int(d.Millis) })
}

// native returns the generator where dates and enums are values of the format itself,
// nil elsewhere.
func (w *writer) native() token.Native {
	if w.rules.Jackson != 3 {
		return nil
	}
	native, _ := w.gen.(token.Native)
	return native
}

// binaryUUID reports whether a UUID is its 16 bytes. With Jackson 2 Redisson made it
// a text in 4.2.0.
func (c *Codec) binaryUUID() bool {
	return c.format.BinaryUUID && (c.rules.Jackson == 3 || c.rules.Release.Before(option.Release{4, 2, 0}))
}

// uuid writes a UUID, whose class Redisson began to name everywhere with 4.2.0.
func (w *writer) uuid(u java.UUID, s slot) error {
	if !w.rules.leaksUUID() || s != slotRoot && s != slotOpen {
		bare := s == slotTree || s == slotRoot && w.rules.bareUUID()
		if w.codec.binaryUUID() {
			return w.wrap(classUUID, bare, func() { w.gen.Bytes(u[:]) })
		}
		return w.tagged(classUUID, u.String(), bare)
	}
	if err := w.gen.Wrap(classUUID); err != nil {
		return w.reason(u, err)
	}
	if err := w.text(u.String()); err != nil {
		return err
	}
	w.gen.EndWrap()
	return nil
}

// textOf writes a value that is a text.
func (w *writer) textOf(t java.Text, s slot) error {
	// The class of an address is one of two final ones.
	final := w.rules.final(t.Class) || t.Class == "java.net.InetAddress"
	return w.tagged(w.rules.textID(t.Class), t.Value, s == slotTree || s == slotRoot && final)
}

// calendar writes a Calendar as a date.
func (w *writer) calendar(c *java.Calendar, s slot) error {
	if c == nil {
		w.gen.Null()
		return nil
	}
	return w.date(java.Date{Class: cmp.Or(c.Class, "java.util.GregorianCalendar"), Millis: c.Millis}, s)
}

func (w *writer) enum(e java.Enum, bare bool) error {
	if w.rules.Jackson == 3 && e.Class == classMonth {
		for i, name := range months {
			if name == e.Name {
				return w.wrap(classMonth, bare, func() { w.gen.Int(int64(i) + 1) })
			}
		}
	}
	if w.rules.ordinals && !w.rules.hasTexts(e.Class) {
		n, ok := w.ordinal(e)
		if !ok {
			return w.fail(e, "the ordinal of its constant %s is not known: describe the enum with its constants", e.Name)
		}
		return w.wrap(e.Class, bare, func() { w.gen.Int(int64(n)) })
	}
	wire, native := w.codec.rules.enumText(e), w.native()
	if wire.number && native == nil {
		n, _ := strconv.ParseInt(wire.text, 10, 64) // which its declaration is
		return w.wrap(e.Class, bare, func() { w.gen.Int(n) })
	}
	if native != nil { // whose serializer of enums looks at no annotation
		return w.wrapErr(e.Class, bare, func() error { return w.reason(e, native.Symbol(e.Name)) })
	}
	return w.tagged(e.Class, wire.text, bare)
}

// time writes a value of java.time.
func (w *writer) time(t *jdk.Type, v any, bare bool) error {
	form, class := w.rules.timesForm(), t.Class
	if p := w.rules.local[class]; p != nil {
		if parts := t.Split(v); t.Valid(&parts) {
			if text, ok := p.local(t, &parts); ok {
				return w.tagged(class, text, bare)
			}
		}
		return w.fail(v, beyondPattern)
	}
	if form == timesNone {
		return w.fail(v, "Java's codec %s carries %s only with a mapper that has JavaTimeModule: "+
			"say so with jackson.Mapper{Dates: …}, or use java.Date or text", w.codec.Name(), class)
	}
	if !validTime(t, v, form) {
		return w.fail(v, "its parts make no %s", class)
	}
	out, ok := bareTime(t, v, form, w.rules.contextZone())
	if !ok {
		return w.fail(v, "the offset of %s is not known, and Java writes it: set Offset and HasOffset", class)
	}
	return w.wrapErr(class, bare, func() error { return w.bareTime(out) })
}

func (w *writer) bareTime(v any) error {
	list, ok := v.([]any)
	if !ok {
		return w.value(v, slotTree)
	}
	if open, ok := w.gen.(token.Open); ok {
		open.OpenArray()
	} else {
		w.gen.Array(len(list))
	}
	for _, e := range list {
		if err := w.value(e, slotTree); err != nil {
			return err
		}
	}
	w.gen.EndArray()
	return nil
}

// localeText is Locale.toString, or with Jackson 3 the language tag.
func localeText(l java.Locale, jackson int) string {
	if jackson == 2 {
		return l.String()
	}
	parts := []string{l.Language}
	if l.Language == "" {
		if l.Country == "" && l.Script == "" && l.Variant == "" && l.Extensions == "" {
			return ""
		}
		parts[0] = "und"
	}
	for _, p := range [...]string{l.Script, l.Country, l.Variant, l.Extensions} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "-")
}

// moreKeyText returns what the less common classes are as keys of maps.
func (w *writer) moreKeyText(k any) (string, bool) {
	switch k := k.(type) {
	case java.Date:
		text := w.rules.utilDate(k.Millis)
		return text, text != ""
	case java.UUID, java.BigDecimal, java.Text, java.ClassRef:
		text, _ := jdk.Of(k).Show(k)
		return text, true
	case []byte:
		return base64.StdEncoding.EncodeToString(k), true
	}
	if t := jdk.Of(k); t != nil && t.Parts != nil && !t.Has(jdk.Zone) { // their toString
		p := t.Split(k)
		if t.Write != nil {
			return t.Write(&p), true
		}
		return p.Text(t.Parts, true), true
	}
	return "", false
}
