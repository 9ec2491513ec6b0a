package fst

import (
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// builtin are the classes with a serializer of FST's own, exactly these.
var builtin = map[string]func(d *decoder, c *class, at int) (any, error){
	"java.lang.Byte":           readScalar('B'),
	"java.lang.Short":          readScalar('S'),
	"java.lang.Character":      readScalar('C'),
	"java.lang.Float":          readScalar('F'),
	"java.lang.Double":         readScalar('D'),
	"java.util.Date":           readDate,
	"java.lang.Class":          readClass,
	"java.util.ArrayList":      readList,
	"java.util.LinkedList":     readList,
	"java.util.HashSet":        readList,
	"java.util.HashMap":        readMap,
	"java.util.LinkedHashMap":  readMap,
	"java.util.RegularEnumSet": readEnumSet,
	"java.util.JumboEnumSet":   readEnumSet,
	jdk.SerClass:               readTime,
}

// inherited are the classes whose serializer their subclasses use too, which
// loses the fields of those.
var inherited = map[string]func(d *decoder, c *class, at int) (any, error){
	"java.util.Vector":                       readList,
	"java.util.Hashtable":                    readMap,
	"java.util.concurrent.ConcurrentHashMap": readMap,
	"java.math.BigInteger":                   readBigInteger,
	"java.lang.StringBuffer":                 readText,
	"java.lang.StringBuilder":                readText,
}

// inheritedThree are those that 3.0 has beside them.
var inheritedThree = map[string]func(d *decoder, c *class, at int) (any, error){
	"java.lang.Throwable": readThrowable,
	"java.util.BitSet":    readWords,
	"java.sql.Timestamp":  readDate,
}

// readScalar reads a boxed primitive.
func readScalar(kind byte) func(d *decoder, c *class, at int) (any, error) {
	f := &field{kind: kind}
	return func(d *decoder, _ *class, _ int) (any, error) { return d.field(f, 0) }
}

func readDate(d *decoder, c *class, _ int) (any, error) {
	ms, err := d.int64()
	return scalar(java.Date{Class: c.name, Millis: ms}, err)
}

func readClass(d *decoder, _ *class, at int) (any, error) {
	if _, err := d.Byte(); err != nil { // whether it is a primitive: the name says so too
		return nil, err
	}
	text, err := d.text()
	if err != nil {
		return nil, err
	}
	d.reserve(at, java.ClassRef(text))
	return java.ClassRef(text), nil
}

func readText(d *decoder, c *class, at int) (any, error) {
	text, err := d.text()
	if err != nil {
		return nil, err
	}
	v := java.Text{Class: c.name, Value: text}
	d.reserve(at, v)
	return v, nil
}

func readBigInteger(d *decoder, _ *class, at int) (any, error) {
	start := d.At
	n, err := d.count(1)
	if err != nil {
		return nil, err
	}
	b, err := d.Take(n)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, d.Fail(start, "a BigInteger has at least one byte")
	}
	v := jdk.SignedInteger(b)
	d.reserve(at, v)
	return v, nil
}

// readList reads a size and as many elements.
func readList(d *decoder, c *class, at int) (any, error) {
	list := &java.List{Class: c.name}
	d.reserve(at, list)
	n, err := d.count(1)
	if err != nil {
		return list, err
	}
	return list, d.elements(list, n, d.next)
}

// readMap reads a size and as many keys and values.
func readMap(d *decoder, c *class, at int) (any, error) {
	m := &java.Map{Class: c.name}
	d.reserve(at, m)
	n, err := d.count(2)
	if err != nil {
		return m, err
	}
	return m, d.entries(m, n, d.next)
}

func readEnumSet(d *decoder, c *class, at int) (any, error) {
	n, err := d.count(1)
	if err != nil {
		return nil, err
	}
	of, err := d.class()
	if err != nil {
		return nil, err
	}
	list := &java.List{Class: c.name, Of: of.name}
	d.reserve(at, list)
	for i := range n {
		start := d.At
		v, err := d.object("")
		if err != nil {
			return list, underIndex(i, err)
		}
		if e, ok := v.(java.Enum); !ok || e.Class != of.name {
			return list, d.Fail(start, "an EnumSet of %s holds something else: another codec", of.name)
		}
		list.Elements = append(list.Elements, v)
	}
	return list, nil
}

// readWords reads the long[] that stands for a BitSet in 3.0.
func readWords(d *decoder, _ *class, at int) (any, error) {
	v, err := d.object("")
	if err != nil {
		return nil, err
	}
	words, ok := v.([]int64)
	if !ok {
		return nil, d.Fail(at, "a BitSet is a long[], not %s: another codec or another version of FST", java.ClassOf(v))
	}
	return bitSet(words), nil
}

func bitSet(words []int64) *java.BitSet {
	b := &java.BitSet{Words: make([]uint64, len(words))}
	for i, w := range words {
		b.Words[i] = uint64(w)
	}
	for len(b.Words) > 0 && b.Words[len(b.Words)-1] == 0 { // Java trims when it reads, not when it writes
		b.Words = b.Words[:len(b.Words)-1]
	}
	return b
}

// readThrowable reads an exception of 3.0: message, stack trace, cause,
// suppressed ones; the fields that its class adds are lost.
func readThrowable(d *decoder, c *class, at int) (any, error) {
	o := &java.Object{Class: c.name}
	d.reserve(at, o)
	text, err := d.text()
	if err != nil {
		return o, err
	}
	o.Fields = append(o.Fields, java.Field{Name: "detailMessage", Value: text, Level: throwable})
	for _, name := range []string{"stackTrace", "cause", "suppressedExceptions"} {
		v, err := d.object("")
		if err != nil {
			return o, errpath.UnderDecode(name, err)
		}
		o.Fields = append(o.Fields, java.Field{Name: name, Value: v, Level: throwable})
	}
	return o, nil
}

const throwable = "java.lang.Throwable"

// readTime reads an object of java.time.
func readTime(d *decoder, _ *class, at int) (any, error) {
	slot := d.reserve(at, nil)
	v, err := jdk.ReadSer(timeInput{d})
	if err != nil {
		return nil, err
	}
	d.complete(slot, v)
	return v, nil
}

// timeInput is what a decoder is to package jdk.
type timeInput struct{ d *decoder }

// Byte implements [jdk.Input].
func (t timeInput) Byte() (byte, error) { return t.d.Byte() }

// Number implements [jdk.Input].
func (t timeInput) Number(part jdk.Part) (int64, error) {
	if part == jdk.Epoch || part == jdk.Seconds {
		return t.d.int64()
	}
	n, err := t.d.int32()
	return int64(n), err
}

// Text implements [jdk.Input].
func (t timeInput) Text() (string, error) { return t.d.text() }

// At implements [jdk.Input].
func (t timeInput) At() int { return t.d.At }

// Fault implements [jdk.Input].
func (t timeInput) Fault(at int, format string, args ...any) error {
	return t.d.Fail(at, format, args...)
}

// timestamp puts together the whole seconds of a Date and the nanoseconds of a
// java.sql.Timestamp.
func timestamp(v java.Date, nanos int32) java.Date {
	seconds := v.Millis / 1000
	if v.Millis%1000 < 0 {
		seconds--
	}
	v.Millis, v.Nanos = seconds*1000+int64(nanos)/1_000_000, nanos%1_000_000
	return v
}
