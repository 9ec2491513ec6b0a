package serial

import (
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

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

	shape     *shape // nil for classes that stay *java.Object
	canonical bool   // it says of the class and all above what this JDK says
	memo      [River + 1]atomic.Pointer[any]
}

// Memo returns what a format has computed of the descriptor: the result of
// compute, which runs once or, when goroutines race, a few times.
func (d *Desc) Memo(format Flavor, compute func(*Desc) any) any {
	if known := d.memo[format].Load(); known != nil {
		return *known
	}
	made := compute(d)
	d.memo[format].Store(&made)
	return made
}

// NewDesc makes the descriptor of a class from what the stream says of it, and
// links its Super. It fails where the chain of classes is too long, or its kind
// makes no sense.
func NewDesc(s *java.Serial, super *Desc) (*Desc, error) {
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
	known := descriptors().classes[s.Class]
	d.canonical = known != nil && sameDesc(known.Serial, s) && (super == nil) == (known.Super == nil) && (super == nil || super.canonical)
	return d, nil
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
	if a.Class != b.Class || a.UID != b.UID || a.Flags != b.Flags || len(a.Fields) != len(b.Fields) {
		return false
	}
	if a.Super != nil && b.Super != nil && a.Super.Class != b.Super.Class {
		return false
	}
	for i, f := range a.Fields {
		if f != b.Fields[i] {
			return false
		}
	}
	return true
}

// Canonical reports whether the descriptor is that of the JDK's own class.
func (d *Desc) Canonical() bool { return d.canonical }

// Shaped reports whether instances become a value of their own kind, such as a
// *java.Map; all others become a *java.Object with everything they wrote.
func (d *Desc) Shaped() bool { return d.shape != nil }

func (d *Desc) count() {
	if d.Levels = d.Chain; d.Flags&FlagExternalizable != 0 {
		d.Levels = 1
	}
}

// Lineage appends the classes that write something of an instance to dst, the most
// general one first.
func (d *Desc) Lineage(dst []*Desc) []*Desc {
	first := len(dst)
	for range d.Levels {
		dst = append(dst, nil)
	}
	c := d
	for at := len(dst) - 1; at >= first; at-- {
		dst[at] = c
		c = c.Super
	}
	return dst
}

// Enum reports whether constants of an enum have this descriptor.
func (d *Desc) Enum() bool { return d.Flags&FlagEnum != 0 }

// Known returns the descriptor of a JDK class, or nil.
func Known(class string) *Desc { return descriptors().classes[class] }

//go:embed jdk.txt
var jdkText string

// kotlin are lines like those of jdk.txt, from the class files of kotlin-stdlib 1.9.21.
const kotlin = `
kotlin.collections.EmptyList	-7390468764508069838	2		
kotlin.collections.EmptySet	3406603774387020532	2		
kotlin.collections.EmptyMap	8246714829545688274	2		`

type table struct {
	classes map[string]*Desc
}

// descriptors reads the table that integration/java/src/vectors/serial/Descriptors.java has printed.
var descriptors = sync.OnceValue(func() *table {
	lines := strings.Split(strings.TrimSuffix(jdkText, "\n")+kotlin, "\n")
	t := &table{classes: make(map[string]*Desc, len(lines))}
	supers := make(map[string]string, len(lines))
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		s := &java.Serial{Class: cells[0], Fields: parseFields(cells[3])}
		s.UID, _ = strconv.ParseInt(cells[1], 10, 64)
		flags, _ := strconv.ParseUint(cells[2], 10, 8)
		s.Flags = byte(flags)
		t.classes[s.Class] = &Desc{Serial: s, Chain: 1, shape: shapes[s.Class], canonical: true}
		supers[s.Class] = cells[4]
	}
	for class, super := range supers {
		link(t.classes, supers, class, super)
	}
	for _, d := range t.classes {
		d.count()
	}
	return t
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
