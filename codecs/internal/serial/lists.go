package serial

import (
	"encoding/binary"
	"errors"

	"github.com/duequeue/duequeue/codecs/java"
)

const (
	classVector       = "java.util.Vector"
	classCopyOnWrite  = "java.util.concurrent.CopyOnWriteArrayList"
	defaultLoadFactor = 0.75
)

func listShapes() map[string]*shape {
	counted := listForm{
		read:  func(_ *Level, _ *java.List, n int32) (int32, error) { return n, nil },
		write: func(l *java.List) ([]any, int32) { return nil, int32(len(l.Elements)) },
	}.shape()
	vector := &shape{begin: beginList, end: endVector, write: writer(writeVector)}
	hashed := &shape{begin: beginList, end: endHashSet, write: writer(writeHashSet)}
	until := &shape{begin: beginList, end: endUntilNull, write: writer(writeUntilNull)}
	return map[string]*shape{
		"java.util.ArrayList": listForm{
			// Old JDKs wrote the length of the array here, new ones the size again.
			read: func(l *Level, _ *java.List, _ int32) (int32, error) { return l.int32("size") },
			write: func(l *java.List) ([]any, int32) {
				n := int32(len(l.Elements))
				return []any{n}, n
			},
		}.shape(),
		"java.util.LinkedList": counted,
		"java.util.ArrayDeque": counted,
		classCopyOnWrite:       counted,
		classVector:            vector,
		"java.util.Stack":      vector,
		"java.util.HashSet":    hashed, "java.util.LinkedHashSet": hashed,
		"java.util.TreeSet":                          {begin: beginList, end: endTreeSet, write: writer(writeTreeSet)},
		"java.util.PriorityQueue":                    listForm{read: readQueue, write: writeQueue}.shape(),
		"java.util.concurrent.ConcurrentLinkedQueue": until,
		"java.util.concurrent.ConcurrentLinkedDeque": until,
	}
}

// listForm is how a list writes itself that has a number before its elements.
type listForm struct {
	// read reads the fields beside that number, and returns the number of elements.
	read func(l *Level, list *java.List, n int32) (int32, error)
	// write returns the fields, and that number.
	write func(list *java.List) ([]any, int32)
}

func (f listForm) shape() *shape {
	return &shape{begin: beginList, end: f.end, write: writer(f.fill)}
}

func (f listForm) end(in *Instance, value any) (any, error) {
	list := value.(*java.List)
	block, rest, err := in.own().items(4)
	if err != nil {
		return nil, err
	}
	n, err := f.read(in.own(), list, at(block, 0))
	if err != nil {
		return nil, err
	}
	list.Elements, err = counted(rest, n)
	return list, err
}

func (f listForm) fill(in *Instance, list *java.List) error {
	fields, n := f.write(list)
	in.own().Fields = fields
	in.own().Items = withElements(list.Elements, number(n))
	return nil
}

// number returns a block of numbers.
func number(numbers ...int32) java.Block {
	var b java.Block
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}

func at(b java.Block, i int) int32 { return int32(binary.BigEndian.Uint32(b[4*i:])) }

// counted checks elements against their number.
func counted(elements []any, n int32) ([]any, error) {
	if n < 0 || int(n) != len(elements) {
		return nil, errSize
	}
	for _, e := range elements {
		if _, ok := e.(java.Block); ok {
			return nil, errors.New("bytes among the elements")
		}
	}
	return elements[:len(elements):len(elements)], nil
}

// withElements puts items in front of elements.
func withElements(elements []any, first ...any) []any {
	items := make([]any, 0, len(first)+len(elements))
	return append(append(items, first...), elements...)
}

// vectorForm is the capacity of a Vector that differs from the usual one.
type vectorForm struct {
	increment int32
	capacity  int
}

func usualVector(n int) vectorForm {
	capacity := 10
	for capacity < n {
		capacity *= 2
	}
	return vectorForm{capacity: capacity}
}

func endVector(in *Instance, value any) (any, error) {
	l := in.level(classVector)
	form := vectorForm{}
	var err error
	if form.increment, err = l.int32("capacityIncrement"); err != nil {
		return nil, err
	}
	n, err := l.int32("elementCount")
	if err != nil {
		return nil, err
	}
	data, ok := l.field("elementData").(*java.List)
	if !ok || n < 0 || int(n) > len(data.Elements) {
		return nil, errSize
	}
	for _, spare := range data.Elements[n:] {
		if spare != nil {
			return nil, errSize
		}
	}
	list := value.(*java.List)
	form.capacity = len(data.Elements)
	if list.Elements = data.Elements[:n:n]; form != usualVector(int(n)) {
		list.Form = form
	}
	return list, nil
}

func writeVector(in *Instance, l *java.List) error {
	form, ok := l.Form.(vectorForm)
	if !ok || form.capacity < len(l.Elements) {
		form = usualVector(len(l.Elements))
	}
	data := &java.List{Class: objectArray, Elements: make([]any, form.capacity)}
	copy(data.Elements, l.Elements)
	in.level(classVector).Fields = []any{form.increment, int32(len(l.Elements)), data}
	return nil
}

func endTreeSet(in *Instance, value any) (any, error) {
	items := in.own().Items
	if len(items) == 0 {
		return nil, errSize
	}
	block, rest, err := (&Level{Items: items[1:]}).items(4)
	if err != nil {
		return nil, err
	}
	list := value.(*java.List)
	list.Comparator = items[0]
	list.Elements, err = counted(rest, at(block, 0))
	return list, err
}

func writeTreeSet(in *Instance, l *java.List) error {
	in.own().Items = withElements(l.Elements, l.Comparator, number(int32(len(l.Elements))))
	return nil
}

// queueForm is the number that a PriorityQueue writes for old readers.
type queueForm int32

func readQueue(l *Level, list *java.List, n int32) (int32, error) {
	size, err := l.int32("size")
	list.Comparator = l.field("comparator")
	if n != max(2, size+1) {
		list.Form = queueForm(n)
	}
	return size, err
}

func writeQueue(list *java.List) ([]any, int32) {
	n := int32(len(list.Elements))
	capacity := max(2, n+1)
	if form, ok := list.Form.(queueForm); ok {
		capacity = int32(form)
	}
	return []any{n, list.Comparator}, capacity
}

// endUntilNull reads elements up to a null.
func endUntilNull(in *Instance, value any) (any, error) {
	items := in.own().Items
	if len(items) == 0 || items[len(items)-1] != nil {
		return nil, errSize
	}
	list := value.(*java.List)
	var err error
	list.Elements, err = counted(items[:len(items)-1], int32(len(items)-1))
	return list, err
}

func writeUntilNull(in *Instance, l *java.List) error {
	in.own().Items = append(withElements(l.Elements), nil)
	return nil
}
