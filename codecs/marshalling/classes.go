package marshalling

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// class is one class descriptor. It is immutable once it is read.
type class struct {
	kind      byte   // lead byte of the descriptor: idSerializable, idEnumClass …, or the id of a predefined class
	name      string // as Class.getName gives it
	uid       int64
	fields    []field // own fields, in the order of the stream
	super     *class  // nil where the superclass is not serializable
	component *class  // of an array class
	depth     int     // dimensions of an array class
	desc      *serial.Desc
	chain     []*class // of a serializable class, the most general one first
	values    int      // fields of the whole chain
}

// field is one field of a class: the id of its primitive type, or idObjectClass,
// and its place among the fields of the class's serial.Desc.
type field struct {
	name     string
	kind     byte
	unshared bool
	place    int
}

func (c *class) serializable() bool { return c.kind == idSerializable || c.kind == idWriteObject }

// finish derives what decoding needs from the parts of the descriptor.
func (c *class) finish() (*class, error) {
	var above *serial.Desc
	if c.super != nil {
		c.chain, c.values, above = slices.Clip(slices.Clone(c.super.chain)), c.super.values, c.super.desc
	}
	c.chain = append(c.chain, c)
	c.values += len(c.fields)
	if c.desc = c.known(above); c.desc != nil {
		return c, nil
	}
	s := &java.Serial{Class: c.name, UID: c.uid, Flags: c.flags(), Fields: make([]java.SerialField, len(c.fields))}
	for i, f := range c.fields {
		s.Fields[i] = java.SerialField{Name: f.name, Signature: signatures[f.kind], Unshared: f.unshared}
		c.fields[i].place = i
	}
	desc, err := serial.NewDesc(s, above)
	c.desc = desc
	return c, err
}

// known returns the JDK's own description of the class where the stream says the
// same, as far as River does: it keeps fields in another order and knows of
// types only whether they are primitive.
func (c *class) known(above *serial.Desc) *serial.Desc {
	d := serial.Known(c.name)
	if d == nil || d.UID != c.uid || d.Flags != c.flags() || d.Super != above || len(d.Fields) != len(c.fields) {
		return nil
	}
	for i := range c.fields {
		f := &c.fields[i]
		f.place = slices.IndexFunc(d.Fields, func(known java.SerialField) bool { return known.Name == f.name })
		if f.place < 0 || fieldKind(d.Fields[f.place].Signature) != f.kind || d.Fields[f.place].Unshared != f.unshared {
			return nil
		}
	}
	return d
}

func (c *class) flags() byte {
	switch c.kind {
	case idWriteObject:
		return serial.FlagSerializable | serial.FlagWriteMethod
	case idExternalizable:
		return serial.FlagExternalizable | serial.FlagBlockData
	}
	return serial.FlagSerializable
}

var signatures = map[byte]string{
	idBoolean: "Z", idByte: "B", idShort: "S", idInt: "I", idLong: "J", idChar: "C", idFloat: "F", idDouble: "D",
	idObjectClass: "Ljava/lang/Object;",
}

// widths are the bytes of primitive fields and array elements; of objects at
// least one.
var widths = [256]int{
	idBoolean: 1, idByte: 1, idShort: 2, idInt: 4, idLong: 8, idChar: 2, idFloat: 4, idDouble: 8, idObjectClass: 1,
}

// predefined are the classes of one byte. Those that library 2.0.9 names as the
// superclass of a serialized class have their serialized form.
var predefined = func() (all [256]*class) {
	for id, name := range predefinedNames {
		all[id] = &class{kind: id, name: name}
	}
	for _, id := range []byte{
		idArrayList, idLinkedList, idArrayDeque, idVector, idStack, idIdentityHashMap, idEnumMap, idCopyOnWriteList, idCopyOnWriteSet,
	} {
		if c, err := builtIn(serial.Known(predefinedNames[id])).finish(); err == nil {
			all[id] = c
		}
	}
	return all
}()

// builtIn makes the class of a JDK description.
func builtIn(d *serial.Desc) *class {
	c := &class{kind: idSerializable, name: d.Class, uid: d.UID}
	if d.Flags&serial.FlagWriteMethod != 0 {
		c.kind = idWriteObject
	}
	for _, f := range formOf(d).fields {
		c.fields = append(c.fields, field{name: f.Name, kind: fieldKind(f.Signature)})
	}
	if d.Super != nil {
		c.super, _ = builtIn(d.Super).finish()
	}
	return c
}

// level is a serializable class without its superclass, as bytes that repeat
// from payload to payload.
type level struct {
	wire    []byte // from the lead byte to the last field
	kind    byte
	name    string
	uid     int64
	fields  []field
	names   []string // what it adds to the instance table
	refs    []nameRef
	own     bool // a name is a value of the payload: the next payload has another
	mu      sync.Mutex
	classes atomic.Pointer[[]*class] // one for each superclass met
}

// nameRef is a name given as a reference into the instance table.
type nameRef struct {
	before   int // names added before it
	index    int // relative to the size of the table, or absolute
	absolute bool
	name     string
}

// Bounds of what one codec keeps.
const (
	maxLevelBytes    = 4 << 10
	levelBuckets     = 128
	levelsKept       = 6 // in a bucket
	maxSuperVariants = 8
)

// with returns the class that level l makes over super.
func (l *level) with(super *class) (*class, error) {
	if known := l.classes.Load(); known != nil {
		for _, c := range *known {
			if c.super == super {
				return c, nil
			}
		}
	}
	c, err := (&class{kind: l.kind, name: l.name, uid: l.uid, fields: slices.Clone(l.fields), super: super}).finish()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*class
	if known := l.classes.Load(); known != nil {
		list = *known
	}
	if len(list) < maxSuperVariants {
		list = append(slices.Clone(list), c)
		l.classes.Store(&list)
	}
	return c, nil
}

// levelCache holds levels a codec has met, in buckets by class name. Readers
// never wait. A full bucket loses its oldest level, so that hostile names can
// neither grow it nor fill it for good.
type levelCache struct {
	seed    maphash.Seed
	buckets [levelBuckets]atomic.Pointer[[]*level]
}

func (k *levelCache) bucket(name []byte) *atomic.Pointer[[]*level] {
	return &k.buckets[maphash.Bytes(k.seed, name)%levelBuckets]
}

// find returns the levels that may begin what is at in: those of the class
// name, and others of its bucket.
func (k *levelCache) find(name []byte) []*level {
	if list := k.bucket(name).Load(); list != nil {
		return *list
	}
	return nil
}

func (k *levelCache) add(l *level) {
	if len(l.wire) > maxLevelBytes || l.wire[1] != idString {
		return
	}
	bucket := k.bucket([]byte(l.name))
	old := bucket.Load()
	var list []*level
	if old != nil {
		list = (*old)[max(0, len(*old)-levelsKept+1):]
	}
	list = append(slices.Clone(list), l)
	bucket.CompareAndSwap(old, &list) // who comes second reads the level once more
}
