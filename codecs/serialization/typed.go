package serialization

import (
	"math/big"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// A typed plan carries payloads straight into a Go type, without values between.
// It knows the usual forms only. Whatever else it meets ends it with errTyped, or
// any other error, and the payload is read again by way of values, which decides
// what it means or what is wrong with it: so the plan can be simple, and both ways
// agree.

// typedNode reads one slot of an object into a Go variable.
type typedNode struct {
	typ  reflect.Type
	read func(r *reader, dst reflect.Value) error
	// bean is set for structs.
	bean *typedBean
	// element is set for pointers and slices.
	element *typedNode
	// plain says that primitives can be stored as they are.
	plain bool
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	decimalType = reflect.TypeFor[java.BigDecimal]()
	bytesType   = reflect.TypeFor[[]byte]()
	charType    = reflect.TypeFor[java.Char]()
)

type typedCompiler struct {
	opts  codecs.BindOptions
	nodes map[reflect.Type]*typedNode
}

// compileTyped makes the plan of a described type; nil where the type is better read by
// way of values.
func compileTyped(d *java.Node, opts codecs.BindOptions) *typedNode {
	if d.Kind == java.NodeAny {
		return nil
	}
	c := &typedCompiler{opts: opts, nodes: map[reflect.Type]*typedNode{}}
	return c.node(d)
}

func (c *typedCompiler) node(d *java.Node) *typedNode {
	if n := c.nodes[d.Go]; n != nil {
		return n
	}
	n := &typedNode{typ: d.Go}
	c.nodes[d.Go] = n
	for d.Kind == java.NodeHolder {
		d = d.Elem // its objects are for values
	}
	switch d.Kind {
	case java.NodeTime:
		n.read = readTime
	case java.NodeAny:
		n.read = readAny
	case java.NodeScalar, java.NodeDuration:
		if n.read = readString; d.Go.Kind() != reflect.String {
			n.read, n.plain = readBox, true
		}
	case java.NodePointer:
		if d.Elem.Kind == java.NodeValue && d.Elem.Go != decimalType {
			n.read = c.leaf(d.Go)
			break
		}
		n.element = c.node(d.Elem)
		n.read, n.plain = n.readPointer, n.element.plain
	case java.NodeSlice, java.NodeMap:
		switch {
		case java.ClassName(d.Go, c.opts.Classes) != "":
			n.read = c.leaf(d.Go)
		case d.Kind == java.NodeSlice:
			n.element = c.node(d.Elem)
			n.read = n.readSlice
		default:
			n.read = readMap(c.node(d.Key), c.node(d.Elem))
		}
	case java.NodeBean, java.NodeStruct:
		n.bean = c.structBean(d)
		n.read = func(r *reader, dst reflect.Value) error { return n.bean.readSlot(r, dst, nil) }
	case java.NodeValue, java.NodeEnum, java.NodeBytes:
		n.read, n.plain = c.leaf(d.Go), d.Go == charType
		if d.Go == decimalType {
			n.read = readDecimal
		}
	default:
		n.read = func(*reader, reflect.Value) error { return errTyped }
	}
	return n
}

// leaf reads a value and assigns it: for what is no container, which could be
// shared and then unfold.
func (c *typedCompiler) leaf(t reflect.Type) func(r *reader, dst reflect.Value) error {
	plan, err := java.Compile(t, c.opts)
	return func(r *reader, dst reflect.Value) error {
		if err != nil {
			return errTyped
		}
		v, err := r.value()
		if err != nil {
			return err
		}
		switch v.(type) {
		case *java.List, *java.Map, *java.Object:
			return errTyped
		}
		if reflect.TypeOf(v) == t {
			dst.Set(reflect.ValueOf(v))
			return nil
		}
		if plan.Assign(v, dst.Addr().Interface()) != nil {
			return errTyped
		}
		return nil
	}
}

// readAny takes scalars only: containers become plain ones, and a shared one must
// unfold no more than once.
func readAny(r *reader, dst reflect.Value) error {
	v, err := r.value()
	if err != nil {
		return err
	}
	switch v.(type) {
	case nil:
		dst.SetZero()
		return nil
	case string, bool, int8, int16, int32, int64, float32, float64, java.Char, java.Date, java.BigDecimal, *big.Int, java.Enum:
		dst.Set(reflect.ValueOf(v))
		return nil
	}
	return errTyped
}

// readPointer reads null, what the pointer points to, or a back reference to a
// struct that the same pointer type has read.
func (n *typedNode) readPointer(r *reader, dst reflect.Value) error {
	if r.at >= len(r.in) {
		return errTyped
	}
	switch r.in[r.at] {
	case tcNull:
		r.at++
		dst.SetZero()
		return nil
	case tcReference:
		if n.element.bean == nil {
			break
		}
		r.at++
		h, err := r.handle()
		if err != nil || h.kind != typedHandle || reflect.TypeOf(h.value) != n.typ {
			return errTyped
		}
		dst.Set(reflect.ValueOf(h.value))
		return nil
	}
	to := reflect.New(n.typ.Elem())
	dst.Set(to)
	if n.element.bean != nil {
		return n.element.bean.readSlot(r, to.Elem(), to.Interface())
	}
	return n.element.read(r, to.Elem())
}

// open reads the tag and the class of an object, and enters it into the table.
func (r *reader) open(self any) (*serial.Desc, error) {
	if r.at >= len(r.in) || r.in[r.at] != tcObject {
		return nil, errTyped
	}
	start := r.at
	r.at++
	d, err := r.desc()
	if err != nil {
		return nil, err
	}
	if err = r.checkInstance(start, d); err != nil {
		return nil, err
	}
	r.push(handle{kind: typedHandle, value: self})
	return d, nil
}

// end reads the end of custom data.
func (r *reader) end() error {
	if r.at >= len(r.in) || r.in[r.at] != tcEndBlockData {
		return errTyped
	}
	r.at++
	return nil
}

// block reads a short block of exactly n bytes.
func (r *reader) block(n int) ([]byte, error) {
	b, err := r.take(n + 2)
	if err != nil {
		return nil, err
	}
	if b[0] != tcBlockData || int(b[1]) != n {
		return nil, errTyped
	}
	return b[2:], nil
}

// beanMappings are what one Go struct takes from the classes met so far.
type beanMappings = atomic.Pointer[[]*beanMapping]
