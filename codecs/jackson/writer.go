package jackson

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// writer turns Java values into JSON.
type writer struct {
	out     []byte
	dialect Dialect
	depth   int // containers that may still be opened
	max     int
	beans   map[string]*bean // described classes; nil without a Go type
}

func (w *writer) fail(v any, format string, args ...any) error {
	return &codecs.EncodeError{Codec: Name, Type: reflect.TypeOf(v), Reason: fmt.Sprintf(format, args...)}
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) text(s string) error {
	out, ok := appendQuoted(w.out, s)
	if !ok {
		return w.fail(s, "not UTF-8: a Java String cannot hold it; carry bytes as []byte")
	}
	w.out = out
	return nil
}

// wrap writes ["class",value].
func (w *writer) wrap(class string, value func() error) error {
	w.raw("[")
	if err := w.text(class); err != nil {
		return err
	}
	w.raw(",")
	if err := value(); err != nil {
		return err
	}
	w.raw("]")
	return nil
}

func (w *writer) value(v any, s slot) error {
	switch v := v.(type) {
	case nil:
		w.raw("null")
	case string:
		return w.text(v)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case int32:
		w.out = strconv.AppendInt(w.out, int64(v), 10)
	case int64:
		w.long(v, s)
	case float64:
		w.double(v, s)
	case *java.Map, *java.List, *java.Object, map[string]any, []any:
		return w.container(v, s)
	default:
		return w.scalar(v, s)
	}
	return nil
}

// whole writes a number that is wrapped unless its slot declares its class.
func (w *writer) whole(class string, n int64, s slot) {
	if s == slotRoot || s == slotTree {
		w.out = strconv.AppendInt(w.out, n, 10)
		return
	}
	w.raw(`["` + class + `",`)
	w.out = append(strconv.AppendInt(w.out, n, 10), ']')
}

// long writes a Long, which is wrapped at the root too, although it is final.
func (w *writer) long(n int64, s slot) {
	if s == slotRoot {
		s = slotObject
	}
	w.whole("java.lang.Long", n, s)
}

// double writes a Double: bare and natural unless it is not finite.
func (w *writer) double(f float64, s slot) {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		w.out = javatext.AppendDouble(w.out, f)
		return
	}
	wrapped := s != slotRoot && s != slotTree && w.dialect != Redisson3_8
	if wrapped {
		w.raw(`["java.lang.Double",`)
	}
	w.out = append(javatext.AppendDouble(append(w.out, '"'), f), '"')
	if wrapped {
		w.raw("]")
	}
}

func (w *writer) float(f float32, s slot) {
	if s != slotRoot && s != slotTree {
		w.raw(`["java.lang.Float",`)
		defer w.raw("]")
	}
	if f != f || math.IsInf(float64(f), 0) {
		w.out = append(javatext.AppendFloat(append(w.out, '"'), f), '"')
		return
	}
	w.out = javatext.AppendFloat(w.out, f)
}

// scalar writes the less common scalars.
func (w *writer) scalar(v any, s slot) error {
	bare := s == slotRoot || s == slotTree
	switch v := v.(type) {
	case int16:
		w.whole("java.lang.Short", int64(v), s)
	case int8:
		w.whole("java.lang.Byte", int64(v), s)
	case float32:
		w.float(v, s)
	case java.Char:
		return w.tagged("java.lang.Character", charText(v), bare)
	case []byte:
		return w.tagged("[B", base64.StdEncoding.EncodeToString(v), bare)
	case *big.Int:
		if s == slotTree {
			w.raw(v.String())
			return nil
		}
		return w.wrap("java.math.BigInteger", func() error { w.raw(v.String()); return nil })
	case java.BigDecimal:
		return w.wrap("java.math.BigDecimal", func() error { return w.decimal(v) })
	case java.Date:
		return w.wrap(orClass(v.Class, java.ClassDate), func() error {
			w.out = strconv.AppendInt(w.out, v.Millis, 10)
			return nil
		})
	case java.UUID:
		return w.tagged("java.util.UUID", v.String(), s == slotTree || s == slotRoot && w.dialect != Redisson4_2)
	case java.Text:
		return w.tagged(v.Class, v.Value, bare)
	case java.ClassRef:
		return w.tagged("java.lang.Class", string(v), bare)
	case java.Enum:
		if v.Name == "" || v.Class == "" && !bare {
			return w.fail(v, "JSON names the enum's class and constant: Class %q, Name %q", v.Class, v.Name)
		}
		return w.tagged(v.Class, v.Name, bare)
	case java.Instant, java.LocalDate, java.LocalTime, java.LocalDateTime, java.Duration:
		return w.fail(v, "Java's JsonJacksonCodec cannot carry java.time either: use java.Date or text")
	default:
		return w.lowered(v, s)
	}
	return nil
}

// tagged writes a scalar whose JSON is a string.
func (w *writer) tagged(class, text string, bare bool) error {
	if bare {
		return w.text(text)
	}
	return w.wrap(class, func() error { return w.text(text) })
}

// charText returns a Character as text; a lone surrogate as its three bytes.
func charText(c java.Char) string { return string(appendUnit(nil, uint16(c))) }

func (w *writer) decimal(d java.BigDecimal) error {
	out, ok := appendDecimal(w.out, d)
	if !ok {
		return w.fail(d, "BigDecimal of scale %d: Java writes it without exponent, up to a scale of %d", d.Scale, maxPlainScale)
	}
	w.out = out
	return nil
}

// lowered writes a plain Go value as what package java makes of it.
func (w *writer) lowered(v any, s slot) error {
	low, err := java.Lower(v)
	if err != nil {
		return encodeError(err)
	}
	if list, ok := java.ArrayList(low); ok {
		return w.value(list, s)
	}
	if reflect.TypeOf(low) == reflect.TypeOf(v) {
		return w.fail(v, "no Java value corresponds to it")
	}
	return w.value(low, s)
}

func orClass(class, def string) string {
	if class == "" {
		return def
	}
	return class
}
