package compat

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/java"
)

// kryoWriter writes values as Kryo does.
type kryoWriter struct {
	p     *program
	out   []byte
	names []string
}

func (w *kryoWriter) uv(n uint64) {
	for range 8 {
		if n < 0x80 {
			w.out = append(w.out, byte(n))
			return
		}
		w.out = append(w.out, byte(n)|0x80)
		n >>= 7
	}
	w.out = append(w.out, byte(n))
}

func (w *kryoWriter) zz(n int64) { w.uv(uint64(n<<1) ^ uint64(n>>63)) }

// zz32 writes an int, whose zigzag form has 32 bits.
func (w *kryoWriter) zz32(n int32) { w.uv(uint64(uint32(n<<1) ^ uint32(n>>31))) }

// fv writes a number with a flag.
func (w *kryoWriter) fv(flag bool, n int) {
	first := byte(n & 0x3f)
	if flag {
		first |= 0x80
	}
	if n < 0x40 {
		w.out = append(w.out, first)
		return
	}
	w.out = append(w.out, first|0x40)
	w.uv(uint64(n >> 6))
}

func (w *kryoWriter) bool(b bool) { w.out = append(w.out, byte(boolInt(b))) }

func (w *kryoWriter) text(s string) {
	units := utf16.Encode([]rune(s))
	ascii := !slices.ContainsFunc(units, func(u uint16) bool { return u > 0x7f })
	if ascii && len(s) >= 2 && len(s) <= 32 {
		w.ascii(s)
		return
	}
	w.fv(true, len(units)+1)
	for _, u := range units {
		switch {
		case u <= 0x7f:
			w.out = append(w.out, byte(u))
		case u <= 0x7ff:
			w.out = append(w.out, 0xc0|byte(u>>6), 0x80|byte(u&0x3f))
		default:
			w.out = append(w.out, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
		}
	}
}

func (w *kryoWriter) ascii(s string) {
	w.out = append(w.out, s...)
	w.out[len(w.out)-1] |= 0x80
}

// class writes which class follows.
func (w *kryoWriter) class(name string) {
	if id := slices.Index(registered, name); id >= 0 {
		w.uv(uint64(id + 2))
		return
	}
	w.uv(1)
	if id := slices.Index(w.names, name); id >= 0 {
		w.uv(uint64(id))
		return
	}
	w.uv(uint64(len(w.names)))
	w.names = append(w.names, name)
	t, _ := java.ParseType(name)
	w.ascii(t.Erasure(nil))
}

// withClass writes a class and a value.
func (w *kryoWriter) withClass(v any, ctx java.TypeExpr) {
	if v == nil {
		w.uv(0)
		return
	}
	w.class(classOf(v))
	w.body(v, ctx)
}

// known writes a value whose class the place tells; it may be null.
func (w *kryoWriter) known(v any, t java.TypeExpr) {
	switch {
	case v == nil && acceptsNull(w.p, t) && t.Dims == 0 && !w.p.class(t.Class).isEnum(): // a text
		w.out = append(w.out, 0x80)
	case v == nil:
		w.uv(0)
	default:
		if !acceptsNull(w.p, t) {
			w.uv(1)
		}
		w.body(v, t)
	}
}

// place writes a value into a place of a declared type.
func (w *kryoWriter) place(v any, t java.TypeExpr) {
	switch {
	case t.Primitive():
		w.body(v, t)
	case w.p.final(t):
		w.known(v, t)
	default:
		w.withClass(v, t)
	}
}

// body writes a value that is not null.
func (w *kryoWriter) body(v any, ctx java.TypeExpr) {
	switch v := v.(type) {
	case bool:
		w.bool(v)
	case string:
		w.text(v)
	case number:
		w.number(v)
	case float:
		if v.class == "java.lang.Float" {
			w.out = binary.LittleEndian.AppendUint32(w.out, math.Float32bits(float32(v.f)))
		} else {
			w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(v.f))
		}
	case scalar:
		w.scalar(v)
	case constant:
		w.uv(uint64(v.ordinal + 1))
	case *list:
		w.list(v, ctx)
	case *dict:
		w.dict(v, ctx)
	case *object:
		for _, f := range wireFields(w.p, w.p.objectType(v.class, ctx)) {
			value, _ := v.field(f.name)
			w.place(value.value, f.wire)
		}
	}
}

func (w *kryoWriter) number(v number) {
	switch v.class {
	case "java.lang.Byte":
		w.out = append(w.out, byte(v.n))
	case "java.lang.Short", charClass:
		w.out = binary.LittleEndian.AppendUint16(w.out, uint16(v.n))
	case "java.lang.Integer":
		w.zz32(int32(v.n))
	case dateClass:
		w.uv(uint64(v.n))
	default:
		w.zz(v.n)
	}
}

func (w *kryoWriter) scalar(v scalar) {
	switch v.class {
	case "java.math.BigDecimal":
		whole, part, _ := strings.Cut(v.text, ".")
		w.big(whole + part)
		w.zz32(int32(len(part)))
	case "java.math.BigInteger":
		w.big(v.text)
	case "java.time.Instant":
		t, _ := time.Parse(time.RFC3339Nano, v.text)
		w.uv(uint64(t.Unix()))
		w.uv(uint64(t.Nanosecond()))
	case "java.time.LocalDateTime":
		t, _ := time.Parse("2006-01-02T15:04:05.999999999", v.text)
		w.date(t)
		w.clock(t)
	case "java.time.LocalDate":
		t, _ := time.Parse(time.DateOnly, v.text)
		w.date(t)
	default:
		w.text(v.text)
	}
}

// big writes the digits of a number as Java's BigInteger has them.
func (w *kryoWriter) big(digits string) {
	n, _ := new(big.Int).SetString(digits, 10)
	data := n.Bytes()
	if n.Sign() < 0 { // two's complement
		data = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(len(data)*8))).Bytes()
	} else if len(data) == 0 || data[0] >= 0x80 {
		data = append([]byte{0}, data...)
	}
	w.uv(uint64(len(data) + 1))
	w.out = append(w.out, data...)
}

func (w *kryoWriter) date(t time.Time) {
	w.uv(uint64(t.Year()))
	w.out = append(w.out, byte(t.Month()), byte(t.Day()))
}

// clock writes a time of the day: of what is zero at its end nothing, and the last byte inverted.
func (w *kryoWriter) clock(t time.Time) {
	switch {
	case t.Nanosecond() != 0:
		w.out = append(w.out, byte(t.Hour()), byte(t.Minute()), byte(t.Second()))
		w.uv(uint64(t.Nanosecond()))
	case t.Second() != 0:
		w.out = append(w.out, byte(t.Hour()), byte(t.Minute()), ^byte(t.Second()))
	case t.Minute() != 0:
		w.out = append(w.out, byte(t.Hour()), ^byte(t.Minute()))
	default:
		w.out = append(w.out, ^byte(t.Hour()))
	}
}

func (w *kryoWriter) list(v *list, ctx java.TypeExpr) {
	if strings.HasSuffix(v.class, "[]") {
		t, _ := java.ParseType(strings.TrimSuffix(v.class, "[]"))
		w.uv(uint64(len(v.elements) + 1))
		for _, e := range v.elements {
			switch {
			case t.Primitive() || !w.p.final(t) && t.Dims == 0:
				w.place(e, java.TypeExpr{Class: t.Class})
			default:
				w.known(e, t)
			}
		}
		return
	}
	if len(v.elements) == 0 {
		w.uv(1)
		return
	}
	null := slices.Contains(v.elements, nil)
	if elem, ok := w.p.known(ctx, 0); ok {
		w.fv(null, len(v.elements)+1)
		w.comparator(v.class)
		w.elements(v.elements, elem, null)
		return
	}
	class := classOf(v.elements[0])
	if slices.ContainsFunc(v.elements, func(e any) bool { return classOf(e) != class }) {
		w.fv(false, len(v.elements)+1)
		w.comparator(v.class)
		for _, e := range v.elements {
			w.withClass(e, lastArg(ctx))
		}
		return
	}
	w.fv(true, len(v.elements)+1)
	w.comparator(v.class)
	if class == "" {
		w.uv(0)
		return
	}
	w.class(class)
	w.bool(false)
	for _, e := range v.elements {
		w.body(e, lastArg(ctx))
	}
}

func (w *kryoWriter) elements(all []any, t java.TypeExpr, null bool) {
	for _, e := range all {
		if null {
			w.known(e, t)
		} else {
			w.body(e, t)
		}
	}
}

// comparator writes that a sorted container has none.
func (w *kryoWriter) comparator(class string) {
	if sorted(class) {
		w.uv(0)
	}
}

func (w *kryoWriter) dict(v *dict, ctx java.TypeExpr) {
	w.uv(uint64(len(v.keys) + 1))
	w.comparator(v.class)
	key, keyKnown := w.p.known(ctx, 0)
	value, valueKnown := w.p.known(ctx, 1)
	for i := range v.keys {
		w.part(v.keys[i], key, keyKnown)
		w.part(v.values[i], value, valueKnown)
	}
}

func (w *kryoWriter) part(v any, t java.TypeExpr, known bool) {
	if known {
		w.known(v, t)
	} else {
		w.withClass(v, t)
	}
}
