package serial

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/java"
)

// wrapped is the Form of lists and maps that are views of another one.
type wrapped struct {
	inner any
	mutex any // of synchronized wrappers, where it is not the wrapper itself
}

// wrapperShapes are classes that hold another collection, with the class of the
// one they get when there is no Form to say.
func wrapperShapes() map[string]*shape {
	out := map[string]*shape{
		"java.util.Arrays$ArrayList":                 listWrapper(""),
		"java.util.concurrent.CopyOnWriteArraySet":   listWrapper(classCopyOnWrite),
		"java.util.Collections$SetFromMap":           {begin: beginList, end: endKeys, write: writer(writeKeys(classConcurrent))},
		"java.util.concurrent.ConcurrentSkipListSet": {begin: beginList, end: endKeys, write: writer(writeKeys("java.util.concurrent.ConcurrentSkipListMap"))},
	}
	for _, kind := range []string{jdkclass.Unmodifiable, jdkclass.Synchronized} {
		for suffix, inner := range map[string]string{
			"Collection": java.ClassArrayList, "List": "java.util.LinkedList", "RandomAccessList": java.ClassArrayList,
			"Set": classHashSet, "SortedSet": "java.util.TreeSet", "NavigableSet": "java.util.TreeSet",
		} {
			out[kind+suffix] = listWrapper(inner)
		}
		for suffix, inner := range map[string]string{"Map": classHashMap, "SortedMap": "java.util.TreeMap", "NavigableMap": "java.util.TreeMap"} {
			out[kind+suffix] = mapWrapper(inner)
		}
	}
	return out
}

// unwrap finds the wrapped value, and a mutex that is not the wrapper itself.
func (in *Instance) unwrap(self any) (wrapped, error) {
	w := wrapped{}
	for i := range in.Levels {
		l := &in.Levels[i]
		for j, v := range l.Fields {
			switch {
			case l.Desc.Fields[j].Name != "mutex":
				w.inner = v
			case v != self:
				w.mutex = v
			}
		}
	}
	if w.inner == nil {
		return w, errors.New("it wraps nothing")
	}
	return w, nil
}

func endWrapper(in *Instance, value any) (any, error) {
	w, err := in.unwrap(value)
	if err != nil {
		return nil, err
	}
	*formOf(value) = w
	if list, ok := value.(*java.List); ok {
		list.Class = jdkclass.Resolved(list.Class, w.inner)
	}
	if in.Unfinished != nil {
		*in.Unfinished = append(*in.Unfinished, value)
	}
	return value, refresh(value)
}

func listWrapper(inner string) *shape {
	return &shape{
		begin: beginList,
		end:   endWrapper,
		write: writer(func(in *Instance, l *java.List) error {
			w, _ := l.Form.(wrapped)
			if of, ok := w.inner.(*java.List); !ok || !sameSlice(of.Elements, l.Elements) {
				w.inner = &java.List{Class: innerClass(w.inner, inner, l), Elements: l.Elements, Comparator: l.Comparator, Of: l.Of}
			}
			in.wrap(w, l)
			return nil
		}),
	}
}

func mapWrapper(inner string) *shape {
	return &shape{
		begin: beginMap,
		end:   endWrapper,
		write: writer(func(in *Instance, m *java.Map) error {
			w, _ := m.Form.(wrapped)
			if of, ok := w.inner.(*java.Map); !ok || !sameSlice(of.Entries, m.Entries) {
				class := inner
				if ok {
					class = of.Class
				}
				w.inner = &java.Map{Class: class, Entries: m.Entries, Comparator: m.Comparator, Of: m.Of}
			}
			in.wrap(w, m)
			return nil
		}),
	}
}

// wrap fills every level: each has the wrapped value under another name.
func (in *Instance) wrap(w wrapped, self any) {
	for i := range in.Levels {
		l := &in.Levels[i]
		l.Fields = make([]any, len(l.Desc.Fields))
		for j, f := range l.Desc.Fields {
			switch {
			case f.Name != "mutex":
				l.Fields[j] = w.inner
			case w.mutex != nil:
				l.Fields[j] = w.mutex
			default:
				l.Fields[j] = self
			}
		}
	}
}

func innerClass(was any, usual string, l *java.List) string {
	if of, ok := was.(*java.List); ok {
		return of.Class
	}
	switch {
	case strings.HasSuffix(l.Class, "RandomAccessList"):
		return java.ClassArrayList // it is written as a wrapper of any list
	case usual != "":
		return usual
	}
	return arrayFor(l.Elements)
}

// arrayFor returns the class of the array that Java's Arrays.asList makes of its
// arguments: of their class where they have one, else of Object.
func arrayFor(elements []any) string {
	class := ""
	for _, e := range elements {
		c := java.ClassOf(e)
		if e == nil || class != "" && c != class || strings.HasPrefix(c, "[") || Known("[L"+c+";") == nil {
			return objectArray
		}
		class = c
	}
	if class == "" {
		return objectArray
	}
	return "[L" + class + ";"
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// refresh takes over what the wrapped value holds.
func refresh(value any) error {
	switch v := value.(type) {
	case *java.List:
		w := v.Form.(wrapped)
		inner, ok := w.inner.(*java.List)
		if !ok {
			return fmt.Errorf("it wraps %s, which is no known list or set", java.ClassOf(w.inner))
		}
		v.Elements, v.Comparator, v.Of = inner.Elements, inner.Comparator, inner.Of
	case *java.Map:
		w := v.Form.(wrapped)
		inner, ok := w.inner.(*java.Map)
		if !ok {
			return fmt.Errorf("it wraps %s, which is no known map", java.ClassOf(w.inner))
		}
		v.Entries, v.Comparator, v.Of = inner.Entries, inner.Comparator, inner.Of
	}
	return nil
}

// Finish completes wrappers of collections that were not complete when the
// wrapper was read, as in a list that contains a view of itself.
func Finish(unfinished []any) {
	for _, v := range unfinished {
		if refresh(v) != nil {
			return
		}
	}
}

// endKeys reads a set that is the keys of a map.
func endKeys(in *Instance, value any) (any, error) {
	w, err := in.unwrap(value)
	if err != nil {
		return nil, err
	}
	m, ok := w.inner.(*java.Map)
	if !ok {
		return nil, fmt.Errorf("it wraps %s, which is no known map", java.ClassOf(w.inner))
	}
	if err = in.charge(len(m.Entries)); err != nil {
		return nil, err
	}
	list := value.(*java.List)
	list.Form, list.Comparator = w, m.Comparator
	if len(m.Entries) > 0 {
		list.Elements = make([]any, len(m.Entries))
	}
	for i, e := range m.Entries {
		list.Elements[i] = e.Key
	}
	return list, nil
}

func writeKeys(usual string) func(in *Instance, l *java.List) error {
	return func(in *Instance, l *java.List) error {
		m := &java.Map{Class: usual, Comparator: l.Comparator, Entries: make([]java.Entry, len(l.Elements))}
		if w, ok := l.Form.(wrapped); ok {
			was := w.inner.(*java.Map)
			m.Class, m.Of, m.Form = was.Class, was.Of, was.Form
		}
		for i, e := range l.Elements {
			m.Entries[i] = java.Entry{Key: e, Value: true}
		}
		in.wrap(wrapped{inner: m}, l)
		return nil
	}
}
