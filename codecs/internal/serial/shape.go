package serial

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// shape is how instances of one class, or of several alike, become values.
type shape struct {
	// begin makes the value before its content is read; nil where it depends on that.
	begin func(d *Desc) any
	// end completes what begin made.
	end func(in *Instance, value any) (any, error)
	// write fills the levels of a value.
	write func(in *Instance, value any) error
}

// shapes by class name. They are filled by init: their functions ask for
// descriptors, whose table refers to shapes.
var shapes = map[string]*shape{}

func init() {
	for _, part := range []map[string]*shape{
		boxShapes(), numberShapes(), dateShapes(), textShapes(), fieldShapes(),
		listShapes(), mapShapes(), wrapperShapes(), immutableShapes(), objectShapes(),
	} {
		for class, s := range part {
			shapes[class] = s
		}
	}
}

func beginList(d *Desc) any   { return &java.List{Class: d.Class} }
func beginMap(d *Desc) any    { return &java.Map{Class: d.Class} }
func beginObject(d *Desc) any { return &java.Object{Class: d.Class, Serial: d.Serial} }

// writer wraps a writer of one kind of value.
func writer[T any](write func(in *Instance, v T) error) func(in *Instance, value any) error {
	return func(in *Instance, value any) error {
		v, ok := value.(T)
		if !ok {
			return fmt.Errorf("a %T cannot be written as %s", value, in.Desc.Class)
		}
		return write(in, v)
	}
}

var errSize = errors.New("the number of elements contradicts the number given")

// boxShapes are Boolean, Character and the numbers that have primitives.
func boxShapes() map[string]*shape {
	return map[string]*shape{
		"java.lang.Boolean":   box[bool](),
		"java.lang.Byte":      box[int8](),
		"java.lang.Short":     box[int16](),
		"java.lang.Integer":   box[int32](),
		"java.lang.Long":      box[int64](),
		"java.lang.Character": box[java.Char](),
		"java.lang.Float":     box[float32](),
		"java.lang.Double":    box[float64](),
	}
}

func box[T any]() *shape {
	return &shape{
		end: func(in *Instance, _ any) (any, error) {
			v := in.own().field("value")
			if _, ok := v.(T); !ok {
				return nil, errors.New("its field value is missing or of another type")
			}
			return v, nil
		},
		write: writer(func(in *Instance, v T) error {
			in.own().Fields = []any{v}
			return nil
		}),
	}
}

// objectShapes are classes that become objects without a Serial of their own,
// as all codecs decode them.
func objectShapes() map[string]*shape {
	plain := &shape{begin: beginObject, end: endPlain}
	out := map[string]*shape{}
	for _, class := range []string{
		"java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong",
		"java.util.concurrent.atomic.AtomicReference", "java.util.concurrent.ConcurrentHashMap$KeySetView",
		"java.util.Collections$ReverseComparator", "java.util.Collections$ReverseComparator2",
		"java.lang.String$CaseInsensitiveComparator",
	} {
		out[class] = plain
	}
	out["java.util.concurrent.atomic.AtomicBoolean"] = &shape{begin: beginObject, end: endAtomicBoolean}
	return out
}

func endPlain(in *Instance, value any) (any, error) {
	o := in.object(value.(*java.Object))
	if in.Desc.Canonical() && len(o.Custom) == 0 {
		o.Serial = nil
		for i := range o.Fields {
			o.Fields[i].Level = ""
		}
	}
	return o, nil
}

// endAtomicBoolean makes a boolean of the int that the class keeps.
func endAtomicBoolean(in *Instance, value any) (any, error) {
	v, err := endPlain(in, value)
	if o := v.(*java.Object); err == nil && o.Serial == nil {
		n, _ := o.Fields[0].Value.(int32)
		o.Fields[0].Value = n != 0
	}
	return v, err
}
