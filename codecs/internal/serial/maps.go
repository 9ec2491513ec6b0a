package serial

import (
	"errors"
	"math"
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
	return map[string]*shape{
		classHashMap: hash, "java.util.LinkedHashMap": hash,
		classHashtable: table, "java.util.Properties": table,
		"java.util.TreeMap":                          {begin: beginMap, end: endTreeMap, write: writer(writeTreeMap)},
		"java.util.IdentityHashMap":                  {begin: beginMap, end: endIdentityMap, write: writer(writeIdentityMap)},
		"java.util.EnumMap":                          {begin: beginMap, end: endEnumMap, write: writer(writeEnumMap)},
		classConcurrent:                              {begin: beginMap, end: endConcurrent, write: writer(writeConcurrent)},
		"java.util.concurrent.ConcurrentSkipListMap": {begin: beginMap, end: endSkipList, write: writer(writeSkipList)},
	}
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
	count := HashBuckets
	if strings.HasPrefix(class, "java.util.Linked") {
		count = InsertionHashBuckets
	}
	form := hashForm{load: defaultLoadFactor, buckets: count(keys)}
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

func endHashMap(in *Instance, value any) (any, error) {
	l := in.level(classHashMap)
	form := hashForm{}
	form.load, _ = l.field("loadFactor").(float32)
	form.threshold, _ = l.field("threshold").(int32)
	form.access, _ = in.own().field("accessOrder").(bool)
	block, rest, err := l.items(8)
	if err != nil {
		return nil, err
	}
	form.buckets = at(block, 0)
	m := value.(*java.Map)
	if m.Entries, err = pairs(rest, int(at(block, 1))); form != usualHash(in.Desc.Class, keysOf(m)) {
		m.Form = form
	}
	return m, err
}

func writeHashMap(in *Instance, m *java.Map) error {
	form, ok := m.Form.(hashForm)
	if !ok {
		form = usualHash(in.Desc.Class, keysOf(m))
	}
	l := in.level(classHashMap)
	l.Fields = []any{form.load, form.threshold}
	l.Items = withPairs(m, number(form.buckets, int32(len(m.Entries))))
	if in.Desc.Class != classHashMap {
		in.own().Fields = []any{form.access}
	}
	return nil
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
	l := in.level(classHashtable)
	form := hashForm{}
	form.load, _ = l.field("loadFactor").(float32)
	form.threshold, _ = l.field("threshold").(int32)
	form.defaults = in.own().field("defaults")
	block, rest, err := l.items(8)
	if err != nil {
		return nil, err
	}
	form.buckets = at(block, 0)
	m := value.(*java.Map)
	if m.Entries, err = pairs(rest, int(at(block, 1))); form.defaults != nil || form != usualTable(m.Class, len(m.Entries)) {
		m.Form = form
	}
	return m, err
}

func writeHashtable(in *Instance, m *java.Map) error {
	form, ok := m.Form.(hashForm)
	if !ok {
		form = usualTable(in.Desc.Class, len(m.Entries))
	}
	l := in.level(classHashtable)
	l.Fields = []any{form.load, form.threshold}
	l.Items = withPairs(m, number(form.buckets, int32(len(m.Entries))))
	if in.Desc.Class != classHashtable {
		in.own().Fields = []any{form.defaults}
	}
	return nil
}

// endSized reads pairs after their number.
func endSized(l *Level, m *java.Map) error {
	block, rest, err := l.items(4)
	if err == nil {
		m.Entries, err = pairs(rest, int(at(block, 0)))
	}
	return err
}

func endTreeMap(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	m.Comparator = in.own().field("comparator")
	return m, endSized(in.own(), m)
}

func writeTreeMap(in *Instance, m *java.Map) error {
	in.own().Fields = []any{m.Comparator}
	in.own().Items = withPairs(m, number(int32(len(m.Entries))))
	return nil
}

func endIdentityMap(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	return m, endSized(in.own(), m)
}

func writeIdentityMap(in *Instance, m *java.Map) error {
	n := int32(len(m.Entries))
	in.own().Fields = []any{n}
	in.own().Items = withPairs(m, number(n))
	return nil
}

func endEnumMap(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	if m.Of = className(in.own().field("keyType")); m.Of == "" {
		return nil, errors.New("field keyType is no class")
	}
	return m, endSized(in.own(), m)
}

func writeEnumMap(in *Instance, m *java.Map) error {
	of, err := EnumOfKeys(m)
	if err != nil {
		return err
	}
	in.own().Fields = []any{EnumClass(of)}
	in.own().Items = withPairs(m, number(int32(len(m.Entries))))
	return nil
}

func endSkipList(in *Instance, value any) (any, error) {
	m := value.(*java.Map)
	m.Comparator = in.own().field("comparator")
	items := in.own().Items
	if len(items) == 0 || items[len(items)-1] != nil {
		return nil, errSize
	}
	var err error
	m.Entries, err = pairs(items[:len(items)-1], len(items)/2)
	return m, err
}

func writeSkipList(in *Instance, m *java.Map) error {
	in.own().Fields = []any{m.Comparator}
	in.own().Items = append(withPairs(m), nil)
	return nil
}

func endConcurrent(in *Instance, value any) (any, error) {
	items := in.own().Items
	n := len(items)
	if n < 2 || items[n-1] != nil || items[n-2] != nil {
		return nil, errors.New("its entries do not end in two nulls")
	}
	m := value.(*java.Map)
	var err error
	m.Entries, err = pairs(items[:n-2], (n-2)/2)
	return m, err
}

// writeConcurrent adds the sixteen locks that readers before Java 8 need.
func writeConcurrent(in *Instance, m *java.Map) error {
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
	in.own().Fields = []any{int32(15), int32(28), segments}
	in.own().Items = append(withPairs(m), nil, nil)
	return nil
}
