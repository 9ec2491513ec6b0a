package compat

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// kryoReader reads values as Kryo does, and like it takes bytes for what they are read as. After an
// error all that it reads is zero.
type kryoReader struct {
	p     *program
	rest  []byte
	names []string
	deep  int
	err   error
}

// mostElements is where Java runs out of memory.
const mostElements = 1 << 20

func (r *kryoReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *kryoReader) take(n int) []byte {
	if r.err != nil || n > len(r.rest) {
		r.fail("Java reads past the end of the message")
		return make([]byte, 8)
	}
	data := r.rest[:n]
	r.rest = r.rest[n:]
	return data
}

func (r *kryoReader) byte() byte { return r.take(1)[0] }

// uv reads a number of at most so many bytes; of nine the last one has eight bits.
func (r *kryoReader) uv(most int) (n uint64) {
	for i := range most {
		b := r.byte()
		if i == 8 {
			return n | uint64(b)<<56
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			break
		}
	}
	return n
}

func (r *kryoReader) uv32() uint32 { return uint32(r.uv(5)) }

func (r *kryoReader) zz32() int32 {
	n := r.uv32()
	return int32(n>>1) ^ -int32(n&1)
}

func (r *kryoReader) zz64() int64 {
	n := r.uv(9)
	return int64(n>>1) ^ -int64(n&1)
}

func (r *kryoReader) fv() (flag bool, n int) {
	b := r.byte()
	n = int(b & 0x3f)
	if b&0x40 != 0 {
		n |= int(int32(uint32(r.uv(4)) << 6))
	}
	return b&0x80 != 0, n
}

func (r *kryoReader) text() any {
	if len(r.rest) == 0 || r.err != nil {
		r.take(1)
		return ""
	}
	if r.rest[0] < 0x80 {
		end := slices.IndexFunc(r.rest, func(b byte) bool { return b >= 0x80 })
		if end < 0 {
			r.take(len(r.rest) + 1)
			return ""
		}
		data := slices.Clone(r.take(end + 1))
		data[end] &= 0x7f
		return string(data)
	}
	_, n := r.fv()
	if n == 0 {
		return nil
	}
	if n < 0 || n-1 > len(r.rest) {
		r.take(len(r.rest) + 1)
		return ""
	}
	units := make([]uint16, 0, n)
	for range n - 1 {
		b := uint16(r.byte())
		switch b >> 4 {
		case 0, 1, 2, 3, 4, 5, 6, 7:
			units = append(units, b)
		case 12, 13:
			units = append(units, b&0x1f<<6|uint16(r.byte())&0x3f)
		case 14:
			c, d := uint16(r.byte()), uint16(r.byte())
			units = append(units, b&0xf<<12|c&0x3f<<6|d&0x3f)
		default:
			units = append(units, 0)
		}
	}
	return string(utf16.Decode(units))
}

// class reads a class; "" is null.
func (r *kryoReader) class() string {
	switch id := r.uv32(); {
	case id == 0 || r.err != nil, id == math.MaxUint32: // which Kryo takes for the class that it met last, and that is none
		return ""
	case id == 1:
		return r.named()
	case int(id)-2 < len(registered):
		return registered[id-2]
	default:
		r.fail("Java finds the number %d where a class is expected", id)
	}
	return ""
}

func (r *kryoReader) named() string {
	id := int(r.uv32())
	if id < len(r.names) {
		return r.names[id]
	}
	text, _ := r.text().(string)
	if r.err != nil {
		return ""
	}
	name := erased(java.TypeOf(text))
	if r.p.class(strings.TrimRight(name, "[]")) == nil && !classfile.OfJDK(name) && !primitive(strings.TrimRight(name, "[]")) {
		r.fail("the new program has no class %s", strconv.QuoteToASCII(cut(name)))
		return ""
	}
	r.names = append(r.names, name)
	return name
}

// withClass reads a class and a value.
func (r *kryoReader) withClass(ctx java.TypeExpr) any {
	class := r.class()
	if class == "" {
		return nil
	}
	return r.body(class, ctx)
}

// known reads a value whose class the place tells; it may be null.
func (r *kryoReader) known(t java.TypeExpr) any {
	if !acceptsNull(r.p, t) && r.byte() == 0 {
		return nil
	}
	return r.body(erased(t), t)
}

// place reads a value from a place of a declared type.
func (r *kryoReader) place(t java.TypeExpr) any {
	switch {
	case t.Primitive():
		return r.body(t.Boxed().Class, t)
	case r.p.final(t):
		return r.known(t)
	}
	return r.withClass(t)
}

// body reads a value of a class.
func (r *kryoReader) body(class string, ctx java.TypeExpr) any {
	if r.err != nil {
		return nil
	}
	if r.deep++; r.deep > 200 {
		r.fail("Java finds objects in objects without end")
	}
	defer func() { r.deep-- }()
	t := java.TypeExpr{Class: class}
	if strings.HasSuffix(class, "[]") {
		return r.array(class)
	}
	if c := r.p.class(class); c != nil {
		return r.object(c, ctx)
	}
	if _, ok := element(t); ok {
		return r.list(class, ctx)
	}
	if _, _, ok := entry(t); ok {
		return r.dict(class, ctx)
	}
	return r.basic(class)
}

func (r *kryoReader) basic(class string) any {
	switch class {
	case "java.lang.Boolean":
		return r.byte() == 1
	case stringClass:
		return r.text()
	case "java.lang.Byte":
		return number{class, int64(int8(r.byte()))}
	case "java.lang.Short":
		return number{class, int64(int16(binary.LittleEndian.Uint16(r.take(2))))}
	case charClass:
		return number{class, int64(binary.LittleEndian.Uint16(r.take(2)))}
	case "java.lang.Integer":
		return number{class, int64(r.zz32())}
	case "java.lang.Long":
		return number{class, r.zz64()}
	case dateClass:
		return number{class, int64(r.uv(9))}
	case "java.lang.Float":
		return float{class, float64(math.Float32frombits(binary.LittleEndian.Uint32(r.take(4))))}
	case "java.lang.Double":
		return float{class, math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))}
	}
	return r.scalar(class)
}

func (r *kryoReader) scalar(class string) any {
	switch class {
	case "java.math.BigInteger":
		n, ok := r.big()
		if !ok {
			return nil
		}
		return scalar{class, n.String()}
	case "java.math.BigDecimal":
		n, ok := r.big()
		if !ok {
			return nil
		}
		return scalar{class, decimal(n, r.zz32())}
	case "java.time.Instant":
		sec, nano := int64(r.uv(9)), r.uv32()
		return scalar{class, time.Unix(sec, int64(nano)).UTC().Format(time.RFC3339Nano)}
	case "java.time.LocalDate":
		return scalar{class, r.date()}
	case "java.time.LocalDateTime":
		return scalar{class, r.date() + "T" + r.clock()}
	}
	text, ok := r.text().(string)
	if !ok {
		return nil
	}
	return scalar{class, text}
}

func (r *kryoReader) big() (*big.Int, bool) {
	n := int(int32(r.uv32()))
	if n == 0 {
		return nil, false
	}
	if n < 0 || n-1 > len(r.rest) {
		r.take(len(r.rest) + 1)
		return new(big.Int), true
	}
	data := r.take(n - 1)
	if len(data) == 0 {
		r.fail("Java finds a number without digits")
		return new(big.Int), true
	}
	v := new(big.Int).SetBytes(data)
	if data[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(len(data)*8)))
	}
	return v, true
}

// decimal spells a number as Java's toPlainString does, for scales of this size.
func decimal(n *big.Int, scale int32) string {
	if scale == 0 {
		return n.String()
	}
	if scale < 0 || scale > 1000 {
		return n.String() + "E" + strconv.Itoa(int(-scale))
	}
	digits := new(big.Int).Abs(n).String()
	if missing := int(scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	text := digits[:len(digits)-int(scale)] + "." + digits[len(digits)-int(scale):]
	if n.Sign() < 0 {
		return "-" + text
	}
	return text
}

func (r *kryoReader) date() string {
	year, month, day := int32(r.uv32()), r.byte(), r.byte()
	if r.err == nil && (month < 1 || month > 12 || day < 1 || day > 31) {
		r.fail("Java finds a date that there is not")
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

func (r *kryoReader) clock() string {
	var parts [3]byte
	nano := uint32(0)
	for i := range parts {
		b := r.byte()
		if b >= 0x80 {
			parts[i] = ^b
			break
		}
		parts[i] = b
		if i == 2 {
			nano = r.uv32()
		}
	}
	if r.err == nil && (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) {
		r.fail("Java finds a date that there is not")
	}
	text := fmt.Sprintf("%02d:%02d:%02d", parts[0], parts[1], parts[2])
	if nano > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", nano), "0")
	}
	return text
}

// object reads an object or an enum of the new program.
func (r *kryoReader) object(c *class, ctx java.TypeExpr) any {
	switch {
	case c.isEnum():
		return r.constant(c)
	case c.abstract():
		r.fail("%s is abstract or an interface now, so that no object of it can be made", c.Name)
		return nil
	}
	o := &object{class: c.Name}
	for _, f := range wireFields(r.p, r.p.objectType(c.Name, ctx)) {
		v := r.place(f.wire)
		if r.err != nil {
			return nil
		}
		if v == nil && f.typ.Primitive() {
			v = zero(f.typ)
		}
		if c.Kind == java.KindRecord && v != nil && !f.typ.Primitive() && !r.p.assignable(classOf(v), f.typ) {
			r.fail("Java makes no record %s with %s as %s", c.Name, article(java.TypeExpr{Class: classOf(v)}), f.name)
			return nil
		}
		o.fields = append(o.fields, objectField{f.field, v})
	}
	return o
}

func (r *kryoReader) constant(c *class) any {
	n := int(int32(r.uv32()))
	switch {
	case n == 0 || r.err != nil:
		return nil
	case n < 0 || n > len(c.Constants):
		r.fail("%s has no constant with the number %d", c.Name, n-1)
		return nil
	}
	return constant{c.Name, c.Constants[n-1].Name, n - 1}
}

// count checks how many elements there are.
func (r *kryoReader) count(n int) int {
	if n < 0 || n > mostElements {
		r.fail("Java finds %d elements", n)
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *kryoReader) array(class string) any {
	t, err := java.ParseType(strings.TrimSuffix(class, "[]"))
	if err != nil {
		r.fail("Java finds no class %s", strconv.QuoteToASCII(cut(class)))
		return nil
	}
	n := int(int32(r.uv32()))
	if n == 0 {
		return nil
	}
	l := &list{class: class}
	for range r.count(n - 1) {
		if r.err != nil {
			return nil
		}
		if t.Primitive() || !r.p.final(t) && t.Dims == 0 {
			l.elements = append(l.elements, r.place(java.TypeExpr{Class: t.Class}))
		} else {
			l.elements = append(l.elements, r.known(t))
		}
	}
	return l
}

func (r *kryoReader) list(class string, ctx java.TypeExpr) any {
	flag, n := r.fv()
	if n == 0 {
		return nil
	}
	l := &list{class: class}
	n = r.count(n - 1)
	if n == 0 {
		return l
	}
	if sorted(class) {
		r.withClass(java.TypeExpr{})
	}
	one := r.elementReader(flag, ctx)
	for range n {
		if r.err != nil {
			return nil
		}
		l.elements = append(l.elements, one())
	}
	return l
}

// elementReader returns what reads an element of a collection.
func (r *kryoReader) elementReader(flag bool, ctx java.TypeExpr) func() any {
	if elem, ok := r.p.known(ctx, 0); ok {
		if flag {
			return func() any { return r.known(elem) }
		}
		return func() any { return r.body(erased(elem), elem) }
	}
	if !flag {
		return func() any { return r.withClass(lastArg(ctx)) }
	}
	class := r.class()
	if class == "" {
		return func() any { return nil }
	}
	t, err := java.ParseType(class)
	if err != nil {
		r.fail("Java finds no class %s", strconv.QuoteToASCII(cut(class)))
	}
	null := r.byte() == 1
	return func() any {
		if null && !acceptsNull(r.p, t) && r.byte() == 0 {
			return nil
		}
		return r.body(class, lastArg(ctx))
	}
}

func (r *kryoReader) dict(class string, ctx java.TypeExpr) any {
	n := int(int32(r.uv32()))
	if n == 0 {
		return nil
	}
	d := &dict{class: class}
	n = r.count(n - 1)
	if sorted(class) {
		r.withClass(java.TypeExpr{})
	}
	key, keyKnown := r.p.known(ctx, 0)
	value, valueKnown := r.p.known(ctx, 1)
	part := func(t java.TypeExpr, known bool) any {
		if known {
			return r.known(t)
		}
		return r.withClass(t)
	}
	for range n {
		if r.err != nil {
			return nil
		}
		d.keys, d.values = append(d.keys, part(key, keyKnown)), append(d.values, part(value, valueKnown))
	}
	return d
}
