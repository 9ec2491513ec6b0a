package serialization

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// A typed plan for writing carries a Go type straight into bytes. It knows the
// declared types that Go types imply; a type that says otherwise anywhere is
// written by way of values, all of it. Where a value does not go (a number that
// does not fit, a key that has no order), errTyped ends the plan, and the way by
// values says why.

// typedWriter writes one slot of an object.
type typedWriter struct {
	write func(w *writer, v reflect.Value) error
	// primitive writes a field of primitive type; nil where there is none.
	primitive func(w *writer, v reflect.Value) error
}

type writeCompiler struct {
	opts  codecs.BindOptions
	descs *serial.Classes
	nodes map[reflect.Type]*typedWriter
	bad   bool // some type is not for this plan
}

// compileWriter makes the plan; nil where the type is written by way of values.
func compileWriter(d *java.Node, opts codecs.BindOptions, descs *serial.Classes) *typedWriter {
	c := &writeCompiler{opts: opts, descs: descs, nodes: map[reflect.Type]*typedWriter{}}
	n := c.node(d)
	if c.bad || d.Kind == java.NodeAny {
		return nil
	}
	return n
}

func (c *writeCompiler) node(d *java.Node) *typedWriter {
	if n := c.nodes[d.Go]; n != nil {
		return n
	}
	n := &typedWriter{}
	c.nodes[d.Go] = n
	switch d.Kind {
	case java.NodeTime:
		n.write = writeTime
	case java.NodeAny:
		n.write = writeAny
	case java.NodeScalar, java.NodeDuration:
		c.scalar(n, d.Go.Kind())
	case java.NodeValue:
		c.value(n, d.Go)
	case java.NodeEnum:
		n.write = c.leaf(d.Go)
	case java.NodeBytes:
		n.write = writeOwn
		c.bad = c.bad || d.Go != bytesType
	case java.NodePointer:
		n.write = c.pointer(d)
	case java.NodeSlice:
		n.write = c.slice(d)
	case java.NodeMap:
		n.write = c.stringMap(d)
	case java.NodeBean:
		n.write = c.bean(d)
	default:
		c.bad = true
	}
	return n
}

// value plans a type of package java.
func (c *writeCompiler) value(n *typedWriter, t reflect.Type) {
	switch {
	case t == decimalType:
		n.write = writeDecimal
	case t == charType:
		n.write = writeOwn
		n.primitive = func(w *writer, v reflect.Value) error {
			w.uint16(int(v.Uint()))
			return nil
		}
	case t.Kind() == reflect.Pointer:
		n.write = writeOwn
	default:
		n.write = c.leaf(t)
	}
}

// writeOwn writes a Java value.
func writeOwn(w *writer, v reflect.Value) error {
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Slice) && v.IsNil() {
		w.byte(tcNull)
		return nil
	}
	return w.value(v.Interface())
}

// leaf returns the writer of an enum type, or of a Java value that may stand for
// null.
func (c *writeCompiler) leaf(t reflect.Type) func(w *writer, v reflect.Value) error {
	plan, err := java.Compile(t, c.opts)
	if err != nil {
		c.bad = true
		return nil
	}
	return func(w *writer, v reflect.Value) error {
		value, err := plan.Lower(v.Interface())
		if err != nil {
			return errTyped
		}
		return w.value(value)
	}
}

func (c *writeCompiler) scalar(n *typedWriter, kind reflect.Kind) {
	switch kind {
	case reflect.String:
		n.write = func(w *writer, v reflect.Value) error {
			w.string(v.String())
			return nil
		}
	case reflect.Bool:
		n.primitive = func(w *writer, v reflect.Value) error {
			b := byte(0)
			if v.Bool() {
				b = 1
			}
			w.byte(b)
			return nil
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint, reflect.Uint64:
		n.primitive = writeInteger(kind)
	case reflect.Float32:
		n.primitive = func(w *writer, v reflect.Value) error {
			w.uint32(math.Float32bits(float32(v.Float())))
			return nil
		}
	case reflect.Float64:
		n.primitive = func(w *writer, v reflect.Value) error {
			w.uint64(math.Float64bits(v.Float()))
			return nil
		}
	}
	if n.primitive != nil {
		n.write = writeBoxed(n.primitive, java.ScalarType(kind).Boxed().Class)
	}
}

// writeAny takes scalars only: what containers share, the way by values knows.
// A number is like no other one, even where the interface is the same.
func writeAny(w *writer, v reflect.Value) error {
	switch x := v.Interface().(type) {
	case nil, string, *big.Int, java.Date, java.BigDecimal, java.Enum:
		return w.value(x)
	case bool, int8, int16, int32, int64, float32, float64, java.Char:
		return w.object(x, serial.ID{}, serial.Constant(x))
	}
	return errTyped
}

// signatures are the primitives that Go's kinds imply.
var signatures = func() map[reflect.Kind]string {
	m := map[reflect.Kind]string{}
	for k := reflect.Bool; k <= reflect.Float64; k++ {
		if code := boxes[java.ScalarType(k).Boxed().Class]; code != 0 {
			m[k] = string(code)
		}
	}
	return m
}()

func writeInteger(k reflect.Kind) func(w *writer, v reflect.Value) error {
	signature := signatures[k][0]
	return func(w *writer, v reflect.Value) error {
		var n int64
		if v.CanInt() {
			n = v.Int()
		} else if u := v.Uint(); u <= math.MaxInt64 {
			n = int64(u)
		} else {
			return errTyped
		}
		switch signature {
		case 'B':
			w.byte(byte(n))
		case 'S':
			w.uint16(int(n))
		case 'I':
			if n != int64(int32(n)) {
				return errTyped
			}
			w.uint32(uint32(n))
		default:
			w.uint64(uint64(n))
		}
		return nil
	}
}

// writeBoxed writes a boxed number or boolean.
func writeBoxed(primitive func(w *writer, v reflect.Value) error, class string) func(w *writer, v reflect.Value) error {
	desc := serial.Known(class)
	return func(w *writer, v reflect.Value) error {
		constant := boxConstant(v)
		if w.known(serial.ID{}, constant) {
			return nil
		}
		w.byte(tcObject)
		if err := w.desc(desc); err != nil {
			return err
		}
		w.remember(serial.ID{}, constant)
		return primitive(w, v)
	}
}

// boxConstant returns the value under which Java keeps one box; nil for none.
func boxConstant(v reflect.Value) any {
	var n int64
	switch {
	case v.CanInt():
		n = v.Int()
	case v.CanUint():
		n = int64(min(v.Uint(), math.MaxInt64))
	case v.Kind() == reflect.Bool:
		return v.Bool()
	default:
		return nil
	}
	switch signatures[v.Kind()] {
	case "B":
		return int8(n)
	case "S":
		return serial.Constant(int16(n))
	case "I":
		if n != int64(int32(n)) {
			return nil
		}
		return serial.Constant(int32(n))
	}
	return serial.Constant(n)
}

func (c *writeCompiler) pointer(d *java.Node) func(w *writer, v reflect.Value) error {
	t, element := d.Go, c.node(d.Elem)
	kind := len(c.nodes)
	sized := t.Elem().Size() > 0 // all values without size have one address
	object := t.Elem().Kind() == reflect.Struct && t.Elem() != timeType && t.Elem() != decimalType
	if java.ClassName(t, c.opts.Classes) != java.ClassName(t.Elem(), c.opts.Classes) {
		c.bad = true
	}
	return func(w *writer, v reflect.Value) error {
		switch {
		case v.IsNil():
			w.byte(tcNull)
			return nil
		case !object:
			return element.write(w, v.Elem())
		}
		if w.self = (serial.ID{}); sized {
			w.self = serial.PointerID(memory.To(v), kind)
		}
		if w.known(w.self, nil) {
			return nil
		}
		return element.write(w, v.Elem())
	}
}

func (w *writer) uint64(n uint64) {
	w.uint32(uint32(n >> 32))
	w.uint32(uint32(n))
}

var (
	dateDesc    = serial.Known(java.ClassDate)
	listDesc    = serial.Known(java.ClassArrayList)
	mapDesc     = serial.Known(java.ClassHashMap)
	decimalDesc = serial.Known("java.math.BigDecimal")
	integerDesc = serial.Known("java.math.BigInteger")
	byteArray   = serial.Known("[B")
)

// writeInstant writes a time as java.time.Instant.
func writeInstant(w *writer, v reflect.Value) error {
	t := *memory.Variable[time.Time](v)
	if t.IsZero() {
		w.byte(tcNull)
		return nil
	}
	return w.value(java.Instant{Seconds: t.Unix(), Nanos: int32(t.Nanosecond())})
}

// openObject writes tag and class of an object that is like no other one.
func (w *writer) openObject(d *serial.Desc) error {
	w.byte(tcObject)
	err := w.desc(d)
	w.handle()
	return err
}

func writeTime(w *writer, v reflect.Value) error {
	t := *memory.Variable[time.Time](v)
	if t.IsZero() {
		w.byte(tcNull)
		return nil
	}
	if err := w.openObject(dateDesc); err != nil {
		return err
	}
	w.byte(tcBlockData)
	w.byte(8)
	w.uint64(uint64(t.UnixMilli()))
	w.byte(tcEndBlockData)
	return nil
}

func writeDecimal(w *writer, v reflect.Value) error {
	d := memory.Variable[java.BigDecimal](v)
	if err := w.openObject(decimalDesc); err != nil {
		return err
	}
	w.uint32(uint32(d.Scale))
	n := d.Unscaled
	if n == nil {
		n = new(big.Int)
	}
	if err := w.integer(n); err != nil {
		return err
	}
	w.byte(tcEndBlockData)
	return nil
}

// integer writes the digits of a decimal.
func (w *writer) integer(n *big.Int) error {
	if n.BitLen() <= 5 {
		if small := serial.SmallInteger(n); small.IsInt64() {
			return w.value(small) // perhaps one of Java's constants
		}
	}
	if err := w.openObject(integerDesc); err != nil {
		return err
	}
	w.out = append(w.out, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff\xfe"...)
	w.uint32(uint32(int32(n.Sign())))
	w.byte(tcArray)
	if err := w.desc(byteArray); err != nil {
		return err
	}
	w.handle()
	size := (n.BitLen() + 7) / 8
	w.uint32(uint32(size))
	at := len(w.out)
	w.out = slices.Grow(w.out, size)[:at+size]
	n.FillBytes(w.out[at:])
	w.byte(tcEndBlockData)
	return nil
}
