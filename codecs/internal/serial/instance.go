package serial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/codecs/java"
)

// Flavor says how texts are written inside blocks, which differs between formats.
type Flavor int

// The formats.
const (
	JavaIO Flavor = iota // writeUTF: two bytes of byte count
	River                // four bytes of code units
)

// Level is what one class of an instance wrote.
type Level struct {
	Desc *Desc
	// Fields are the values of Desc.Fields, in that order; nil where the class
	// wrote none of them.
	Fields []any
	// Items are what its writeObject or writeExternal wrote beside the fields:
	// [java.Block] and values.
	Items []any
}

// Instance is one object of a stream.
type Instance struct {
	Desc   *Desc
	Levels []Level // one for each class that writes something, the most general one first
	Flavor Flavor
	// Budget is how many elements values may still get without bytes of their
	// own (Collections.nCopies); nil for none.
	Budget *int
	// Unfinished collects the values that [Finish] completes; may be nil.
	Unfinished *[]any
}

// NewInstance returns an instance of class d with a level, empty yet, for each of its classes.
func NewInstance(d *Desc, flavor Flavor) *Instance {
	in := &Instance{Desc: d, Levels: make([]Level, d.Levels), Flavor: flavor}
	for i := range slices.Backward(in.Levels) {
		in.Levels[i].Desc = d
		d = d.Super
	}
	return in
}

// Begin returns the value that an instance of class d becomes, so that what it
// contains can refer to it; nil where that is not known before [Instance.End].
func Begin(d *Desc) any {
	switch {
	case d.shape == nil:
		return &java.Object{Class: d.Class, Serial: d.Serial}
	case d.shape.begin == nil:
		return nil
	}
	return d.shape.begin(d)
}

// End completes the value that [Begin] returned, or makes it.
func (in *Instance) End(value any) (any, error) {
	if in.Desc.shape == nil {
		return in.object(value.(*java.Object)), nil
	}
	return in.Desc.shape.end(in, value)
}

// object fills a value of a class that is not known.
func (in *Instance) object(o *java.Object) *java.Object {
	n := 0
	for i := range in.Levels {
		n += len(in.Levels[i].Fields)
	}
	if n > 0 {
		o.Fields = make([]java.Field, 0, n)
	}
	for i := range in.Levels {
		l := &in.Levels[i]
		for j, v := range l.Fields {
			o.Fields = append(o.Fields, java.Field{Name: l.Desc.Fields[j].Name, Value: v, Level: l.Desc.Class})
		}
		if len(l.Items) > 0 {
			o.Custom = append(o.Custom, java.Custom{Level: l.Desc.Class, Items: l.Items})
		}
	}
	return o
}

// level returns what the class of that name wrote; an empty one where it is not
// in the lineage.
func (in *Instance) level(class string) *Level {
	for i := range in.Levels {
		if in.Levels[i].Desc.Class == class {
			return &in.Levels[i]
		}
	}
	return &Level{}
}

// own returns the level of the instance's own class.
func (in *Instance) own() *Level { return &in.Levels[len(in.Levels)-1] }

// field returns the value of a field; nil where the class has none of that name.
func (l *Level) field(name string) any {
	for i := range l.Fields {
		if l.Desc.Fields[i].Name == name {
			return l.Fields[i]
		}
	}
	return nil
}

func (l *Level) int32(name string) (int32, error) {
	n, ok := l.field(name).(int32)
	if !ok {
		return 0, fmt.Errorf("field %s is missing or no int", name)
	}
	return n, nil
}

// items returns a block of exactly n bytes and the values after it.
func (l *Level) items(n int) (java.Block, []any, error) {
	if len(l.Items) == 0 {
		return nil, nil, errors.New("the class's own data are missing")
	}
	b, ok := l.Items[0].(java.Block)
	if !ok || len(b) != n {
		return nil, nil, fmt.Errorf("the class's own data do not begin with %d bytes", n)
	}
	return b, l.Items[1:], nil
}

// charge takes elements from the budget where a value copies what may be shared,
// so that a small payload cannot become a large value.
func (in *Instance) charge(n int) error {
	if in.Budget == nil || n > *in.Budget {
		return errBudget
	}
	*in.Budget -= n
	return nil
}

var errBudget = errors.New("it has more elements than the limit allows")
