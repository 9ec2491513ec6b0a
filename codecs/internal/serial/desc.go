package serial

import (
	_ "embed"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/java"
)

// Flags of a class descriptor, as java.io.ObjectStreamConstants has them.
const (
	FlagWriteMethod    = 0x01 // the class has a writeObject method: custom items follow its fields
	FlagSerializable   = 0x02
	FlagExternalizable = 0x04
	FlagBlockData      = 0x08 // external data are in blocks
	FlagEnum           = 0x10
)

// MaxClassChain bounds how many classes of one instance are serializable.
// Java programs do not come near it.
const MaxClassChain = 64

// Desc is one class descriptor. It is immutable once made and may be shared
// between payloads.
type Desc struct {
	*java.Serial
	Super *Desc // nil when the superclass is not serializable
	// Chain counts the serializable classes from here up, itself included.
	Chain int
	// Levels counts the classes that write something of an instance: all of the
	// chain, or an Externalizable class alone.
	Levels int

	// ByName are the places of the fields in the order of their names, which is River's.
	ByName []int

	shape *shape // nil for classes that stay *java.Object
}

// NewDesc makes the descriptor of a class from what the stream says of it, and
// links its Super. Where that is what the JDK says of its own class, it returns the JDK's.
// It fails where the chain of classes is too long, or its kind makes no sense.
func NewDesc(s *java.Serial, super *Desc) (*Desc, error) {
	if known := Known(s.Class); known != nil && known.is(s, super) {
		return known, nil
	}
	d := &Desc{Serial: s, Super: super, Chain: 1}
	if super != nil {
		s.Super = super.Serial
		d.Chain = super.Chain + 1
	}
	d.count()
	switch {
	case d.Chain > MaxClassChain:
		return nil, errors.New("more than " + strconv.Itoa(MaxClassChain) + " superclasses")
	case s.Flags&FlagSerializable != 0 && s.Flags&FlagExternalizable != 0:
		return nil, errors.New("a class cannot be Serializable and Externalizable in one")
	case s.Flags&FlagExternalizable != 0 && len(s.Fields) > 0:
		return nil, errors.New("an Externalizable class has no fields")
	}
	d.shape = shapeOf(d)
	return d, nil
}

// Descs keeps the descriptors that payloads have brought, since those of one queue bring the
// same ones again and again. It is safe for concurrent use.
type Descs struct {
	mu     sync.RWMutex
	byName map[string][]*Desc
	size   int // bytes of all names
}

// Bounds of what is kept, so that hostile payloads cannot fill memory with classes that do
// not exist.
const (
	maxVariants  = 16 // of one class
	maxDescsSize = 256 << 10
)

// Make returns the descriptor of a class as [NewDesc] makes it, of a copy of s.
func (k *Descs) Make(s *java.Serial, super *Desc) (*Desc, error) {
	if known := Known(s.Class); known != nil && known.is(s, super) {
		return known, nil
	}
	k.mu.RLock()
	variants := k.byName[s.Class]
	k.mu.RUnlock()
	for _, d := range variants {
		if d.is(s, super) {
			return d, nil
		}
	}
	own := &java.Serial{Class: strings.Clone(s.Class), UID: s.UID, Flags: s.Flags, Fields: make([]java.SerialField, len(s.Fields))}
	for i, f := range s.Fields {
		own.Fields[i] = java.SerialField{Name: strings.Clone(f.Name), Signature: strings.Clone(f.Signature), Unshared: f.Unshared}
	}
	d, err := NewDesc(own, super)
	if err == nil {
		k.keep(d)
	}
	return d, err
}

func (k *Descs) keep(d *Desc) {
	size := 64 + len(d.Class)
	for _, f := range d.Fields {
		size += 64 + len(f.Name) + len(f.Signature)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size+size > maxDescsSize || len(k.byName[d.Class]) >= maxVariants {
		return
	}
	if k.byName == nil {
		k.byName = map[string][]*Desc{}
	}
	k.size += size
	k.byName[d.Class] = append(k.byName[d.Class], d)
}

// is reports whether a descriptor says what s does, with this superclass.
func (d *Desc) is(s *java.Serial, super *Desc) bool {
	return d.Super == super && d.Class == s.Class && d.UID == s.UID && d.Flags == s.Flags && slices.Equal(d.Fields, s.Fields)
}

// Same reports whether two descriptors say the same of one class and of all above.
func Same(a, b *Desc) bool {
	for a != b {
		if a == nil || b == nil || !sameDesc(a.Serial, b.Serial) {
			return false
		}
		a, b = a.Super, b.Super
	}
	return true
}

func sameDesc(a, b *java.Serial) bool {
	if a.Super != nil && b.Super != nil && a.Super.Class != b.Super.Class {
		return false
	}
	return a.Class == b.Class && a.UID == b.UID && a.Flags == b.Flags && slices.Equal(a.Fields, b.Fields)
}

// Canonical reports whether the descriptor is that of the JDK's own class.
func (d *Desc) Canonical() bool { return d == Known(d.Class) }

// Shaped reports whether instances become a value of their own kind, such as a
// *java.Map; all others become a *java.Object with everything they wrote.
func (d *Desc) Shaped() bool { return d.shape != nil }

// count derives what follows from the other parts.
func (d *Desc) count() {
	if d.Levels = d.Chain; d.Flags&FlagExternalizable != 0 {
		d.Levels = 1
	}
	d.ByName = make([]int, len(d.Fields))
	for i := range d.ByName {
		d.ByName[i] = i
	}
	slices.SortStableFunc(d.ByName, func(a, b int) int { return javatext.Compare(d.Fields[a].Name, d.Fields[b].Name) })
}

// Lineage returns the classes that write something of an instance, the most general one
// first.
func (d *Desc) Lineage() []*Desc {
	out := make([]*Desc, d.Levels)
	for at := len(out) - 1; at >= 0; at-- {
		out[at] = d
		d = d.Super
	}
	return out
}

// Enum reports whether constants of an enum have this descriptor.
func (d *Desc) Enum() bool { return d.Flags&FlagEnum != 0 }

// Known returns the descriptor of a JDK class, or nil.
func Known(class string) *Desc { return descriptors()[class] }

//go:embed jdk.txt
var jdkText string

// kotlin are lines like those of jdk.txt, from the class files of kotlin-stdlib 1.9.21.
const kotlin = `
kotlin.collections.EmptyList	-7390468764508069838	2		
kotlin.collections.EmptySet	3406603774387020532	2		
kotlin.collections.EmptyMap	8246714829545688274	2		`

// descriptors reads the table that integration/java/src/vectors/serial/Descriptors.java has printed.
var descriptors = sync.OnceValue(func() map[string]*Desc {
	lines := strings.Split(strings.TrimSuffix(jdkText, "\n")+kotlin, "\n")
	classes, supers := make(map[string]*Desc, len(lines)), make(map[string]string, len(lines))
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		s := &java.Serial{Class: cells[0], Fields: parseFields(cells[3])}
		s.UID, _ = strconv.ParseInt(cells[1], 10, 64)
		flags, _ := strconv.ParseUint(cells[2], 10, 8)
		s.Flags = byte(flags)
		classes[s.Class] = &Desc{Serial: s, Chain: 1, shape: shapes[s.Class]}
		supers[s.Class] = cells[4]
	}
	for class, super := range supers {
		link(classes, supers, class, super)
	}
	for _, d := range classes {
		d.count()
	}
	return classes
})

func link(classes map[string]*Desc, supers map[string]string, class, super string) {
	d := classes[class]
	if super == "" || d.Super != nil {
		return
	}
	link(classes, supers, super, supers[super])
	d.Super = classes[super]
	d.Serial.Super = d.Super.Serial
	d.Chain = d.Super.Chain + 1
}

func parseFields(text string) []java.SerialField {
	if text == "" {
		return nil
	}
	var fields []java.SerialField
	for f := range strings.SplitSeq(text, ",") {
		name, signature, _ := strings.Cut(f, " ")
		fields = append(fields, java.SerialField{Name: name, Signature: signature})
	}
	return fields
}
