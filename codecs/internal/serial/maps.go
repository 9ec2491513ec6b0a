package serial

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

const (
	classHashMap    = "java.util.HashMap"
	classHashSet    = "java.util.HashSet"
	classHashtable  = "java.util.Hashtable"
	classConcurrent = "java.util.concurrent.ConcurrentHashMap"
)

func mapShapes() map[string]*shape {
	hash := &shape{begin: beginMap, end: endHashMap, write: writer(writeHashMap)}
	table := &shape{begin: beginMap, end: endHashtable, write: writer(writeHashtable)}
	skipList := comparatorMap
	skipList.nulls = 1
	return map[string]*shape{
		classHashMap: hash, "java.util.LinkedHashMap": hash,
		classHashtable: table, "java.util.Properties": table,
		"java.util.TreeMap":                          comparatorMap.shape(),
		"java.util.concurrent.ConcurrentSkipListMap": skipList.shape(),
		"java.util.IdentityHashMap": mapForm{
			read:  func(*Level, *java.Map) error { return nil },
			write: func(m *java.Map) ([]any, error) { return []any{int32(len(m.Entries))}, nil },
		}.shape(),
		"java.util.EnumMap": mapForm{read: readKeyType, write: writeKeyType}.shape(),
		classConcurrent:     mapForm{read: func(*Level, *java.Map) error { return nil }, write: writeSegments, nulls: 2}.shape(),
	}
}

// mapForm is how a map writes itself that has no table of its own: its fields, then entries
// behind their number, or before nulls.
type mapForm struct {
	read  func(l *Level, m *java.Map) error
	write func(m *java.Map) ([]any, error)
	nulls int
}

func (f mapForm) shape() *shape {
	return &shape{begin: beginMap, end: f.end, write: writer(f.fill)}
}

func (f mapForm) end(in *Instance, value any) (any, error) {
	l, m := in.own(), value.(*java.Map)
	if err := f.read(l, m); err != nil {
		return nil, err
	}
	var err error
	if f.nulls == 0 {
		block, rest, failed := l.items(4)
		if failed != nil {
			return nil, failed
		}
		m.Entries, err = pairs(rest, int(at(block, 0)))
		return m, err
	}
	n := len(l.Items) - f.nulls
	if n < 0 || slices.ContainsFunc(l.Items[n:], func(v any) bool { return v != nil }) {
		return nil, errors.New("its entries do not end in null")
	}
	m.Entries, err = pairs(l.Items[:n], n/2)
	return m, err
}

func (f mapForm) fill(in *Instance, m *java.Map) (err error) {
	l := in.own()
	if l.Fields, err = f.write(m); err != nil {
		return err
	}
	if f.nulls == 0 {
		l.Items = withPairs(m, number(int32(len(m.Entries))))
		return nil
	}
	l.Items = append(withPairs(m), make([]any, f.nulls)...)
	return nil
}

var comparatorMap = mapForm{
	read:  func(l *Level, m *java.Map) error { m.Comparator = l.field("comparator"); return nil },
	write: func(m *java.Map) ([]any, error) { return []any{m.Comparator}, nil },
}

func readKeyType(l *Level, m *java.Map) error {
	if m.Of = className(l.field("keyType")); m.Of == "" {
		return errors.New("field keyType is no class")
	}
	return nil
}

func writeKeyType(m *java.Map) ([]any, error) {
	of, err := EnumOfKeys(m)
	return []any{EnumClass(of)}, err
}

// writeSegments adds the sixteen locks that readers before Java 8 need.
func writeSegments(*java.Map) ([]any, error) {
	segments := &java.List{Class: "[Ljava.util.concurrent.ConcurrentHashMap$Segment;", Elements: make([]any, 16)}
	for i := range segments.Elements {
		lock := &java.Object{
			Class:  "java.util.concurrent.locks.ReentrantLock$NonfairSync",
			Fields: []java.Field{{Name: "state", Value: int32(0)}},
		}
		segments.Elements[i] = &java.Object{
			Class:  "java.util.concurrent.ConcurrentHashMap$Segment",
			Fields: []java.Field{{Name: "sync", Value: lock}, {Name: "loadFactor", Value: float32(defaultLoadFactor)}},
		}
	}
	return []any{int32(15), int32(28), segments}, nil
}

// hashForm is what a hash map or set says of its table, where it is not what
// adding the entries one by one to a new one gives.
type hashForm struct {
	load               float32
	buckets, threshold int32
	access             bool // LinkedHashMap in order of access
	defaults           any  // of Properties
}

// usualHash is the table of a new HashMap to which keys were added: in ascending
// order, or for the linked classes in theirs.
func usualHash(class string, keys []any) hashForm {
	form := hashForm{load: defaultLoadFactor, buckets: buckets(keys, !strings.HasPrefix(class, "java.util.Linked"))}
	if len(keys) > 0 {
		form.threshold = form.buckets / 4 * 3
	}
	return form
}

// keysOf returns the keys of a map.
func keysOf(m *java.Map) []any {
	keys := make([]any, len(m.Entries))
	for i, e := range m.Entries {
		keys[i] = e.Key
	}
	return keys
}

// pairs makes entries of keys and values that follow each other.
func pairs(items []any, n int) ([]java.Entry, error) {
	if n < 0 || len(items)%2 != 0 || n != len(items)/2 {
		return nil, errSize
	}
	if n == 0 {
		return nil, nil
	}
	out := make([]java.Entry, n)
	for i := range out {
		out[i] = java.Entry{Key: items[2*i], Value: items[2*i+1]}
		if isBlock(out[i].Key) || isBlock(out[i].Value) {
			return nil, errors.New("bytes among the entries")
		}
	}
	return out, nil
}

func isBlock(v any) bool {
	_, ok := v.(java.Block)
	return ok
}

// withPairs puts items in front of entries.
func withPairs(m *java.Map, first ...any) []any {
	items := make([]any, 0, len(first)+2*len(m.Entries)+2)
	items = append(items, first...)
	for _, e := range m.Entries {
		items = append(items, e.Key, e.Value)
	}
	return items
}

// endTable reads a table: its fields, its buckets and its entries.
func endTable(in *Instance, level string, m *java.Map) (hashForm, error) {
	l, form := in.level(level), hashForm{}
	form.load, _ = l.field("loadFactor").(float32)
	form.threshold, _ = l.field("threshold").(int32)
	block, rest, err := l.items(8)
	if err != nil {
		return form, err
	}
	form.buckets = at(block, 0)
	m.Entries, err = pairs(rest, int(at(block, 1)))
	return form, err
}

// writeTable is the way back; own is the field of a class that extends the one at level.
func writeTable(in *Instance, level string, m *java.Map, form hashForm, own any) error {
	l := in.level(level)
	l.Fields = []any{form.load, form.threshold}
	l.Items = withPairs(m, number(form.buckets, int32(len(m.Entries))))
	if in.Desc.Class != level {
		in.own().Fields = []any{own}
	}
	return nil
}

func endHashMap(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	form, err := endTable(in, classHashMap, m)
	form.access, _ = in.own().field("accessOrder").(bool)
	if form != usualHash(in.Desc.Class, keysOf(m)) {
		m.Form = form
	}
	return m, err
}

func writeHashMap(in *Instance, m *java.Map) error {
	form, ok := m.Form.(hashForm)
	if !ok {
		form = usualHash(in.Desc.Class, keysOf(m))
	}
	return writeTable(in, classHashMap, m, form, form.access)
}

func endHashSet(in *Instance, value any) (any, error) {
	block, rest, err := in.level(classHashSet).items(12)
	if err != nil {
		return nil, err
	}
	list := value.(*java.List)
	list.Elements, err = counted(rest, at(block, 2))
	form := hashForm{buckets: at(block, 0), load: math.Float32frombits(uint32(at(block, 1)))}
	usual := usualHash(in.Desc.Class, list.Elements)
	usual.threshold = 0
	if form != usual {
		list.Form = form
	}
	return list, err
}

func writeHashSet(in *Instance, l *java.List) error {
	form, ok := l.Form.(hashForm)
	if !ok {
		form = usualHash(in.Desc.Class, l.Elements)
	}
	block := number(form.buckets, int32(math.Float32bits(form.load)), int32(len(l.Elements)))
	in.level(classHashSet).Items = withElements(l.Elements, block)
	return nil
}

// usualTable is the table of a new Hashtable to which n entries were added.
func usualTable(class string, n int) hashForm {
	if class != classHashtable {
		// Properties makes up what a Hashtable would have.
		length := int32(float32(n)/defaultLoadFactor) + int32(n/20) + 3
		if int(length) > n && length&1 == 0 {
			length--
		}
		return hashForm{load: defaultLoadFactor, buckets: length, threshold: int32(float32(length) * defaultLoadFactor)}
	}
	length := int32(11)
	threshold := int32(8)
	for n > int(threshold) && length < 1<<29 {
		length = 2*length + 1
		threshold = int32(float32(length) * defaultLoadFactor)
	}
	return hashForm{load: defaultLoadFactor, buckets: length, threshold: threshold}
}

func endHashtable(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	form, err := endTable(in, classHashtable, m)
	form.defaults = in.own().field("defaults")
	if form.defaults != nil || form != usualTable(m.Class, len(m.Entries)) {
		m.Form = form
	}
	return m, err
}

func writeHashtable(in *Instance, m *java.Map) error {
	form, ok := m.Form.(hashForm)
	if !ok {
		form = usualTable(in.Desc.Class, len(m.Entries))
	}
	return writeTable(in, classHashtable, m, form, form.defaults)
}
