package serial

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// Kind says which form a value has in a stream.
type Kind int

// The forms.
const (
	KindNull     Kind = iota
	KindString        // a Go string
	KindEnum          // a java.Enum: its class and its name
	KindClass         // a class object: the descriptor of what it names
	KindArray         // a slice of primitives, or a *java.List
	KindInstance      // everything else
)

// Described is what a writer needs of one value.
type Described struct {
	Kind     Kind
	Name     string    // of an enum's constant
	Desc     *Desc     // of enum, class, array and instance
	Instance *Instance // of an instance
}

// Describer finds descriptors and levels of the values of one payload.
type Describer struct {
	Classes *Classes // of beans
	Flavor  Flavor
	serials map[*java.Serial]*Desc // made so far
}

// Describe returns how a value is written in the stream. Values are what codecs
// decode, see package codecs/java: lower others first.
func (d *Describer) Describe(v any) (Described, error) {
	switch v := v.(type) {
	case nil:
		return Described{}, nil
	case string:
		return Described{Kind: KindString}, nil
	case java.Enum:
		if v.Name == "" {
			if v.Name = d.Classes.constant(v.Class, v.Ordinal); v.Name == "" {
				return Described{}, fmt.Errorf("the stream carries names of constants, and that of ordinal %d is not known: declare the enum", v.Ordinal)
			}
		}
		return Described{Kind: KindEnum, Name: v.Name, Desc: d.enum(v.Class)}, nil
	case *Desc:
		return Described{Kind: KindClass, Desc: v}, nil
	case java.ClassRef:
		return d.classRef(string(v))
	case *java.Object:
		switch {
		case v == nil:
			return Described{}, nil
		case v.Class == classClass && v.Serial != nil:
			desc, err := d.Desc(v.Serial)
			return Described{Kind: KindClass, Desc: desc}, err
		}
		return d.object(v)
	}
	class := java.ClassOf(v)
	switch {
	case class == "":
		if isNil(v) {
			return Described{}, nil
		}
		return Described{}, fmt.Errorf("a %T is no Java value", v)
	case class[0] == '[':
		desc, err := arrayDesc(class, v)
		return Described{Kind: KindArray, Desc: desc}, err
	}
	return d.instance(class, v)
}

// IsJava reports whether v is a value that [Describer.Describe] knows; all others are lowered
// first.
func IsJava(v any) bool {
	switch v.(type) {
	case nil, *Desc:
		return true
	case map[string]any, []any, int:
		return false
	}
	return java.ClassOf(v) != ""
}

func isNil(v any) bool {
	switch v := v.(type) {
	case *java.List:
		return v == nil
	case *java.Map:
		return v == nil
	}
	return false
}

func (d *Describer) instance(class string, v any) (Described, error) {
	desc := formDesc(v)
	if desc == nil {
		if other := replacements[class]; other != "" {
			class = other
		} else if t := jdk.OfClass(class); t != nil && t.Ser != 0 {
			class = jdk.SerClass
		}
		if desc = Known(class); desc == nil {
			desc = d.Classes.Find(class)
		}
	}
	if desc == nil || desc.shape == nil || desc.shape.write == nil {
		return Described{}, fmt.Errorf("the class %s cannot be written", class)
	}
	in := NewInstance(desc, d.Flavor)
	return Described{Kind: KindInstance, Desc: desc, Instance: in}, desc.shape.write(in, v)
}

// formDesc returns the descriptor of a container whose class extends the JDK's, or holds one.
func formDesc(v any) *Desc {
	if form := formOf(v); form != nil {
		switch f := (*form).(type) {
		case derivedForm:
			return f.desc
		case heldForm:
			return f.desc
		}
	}
	return nil
}

// formOf returns where a list or map keeps its Form; nil for all others.
func formOf(v any) *any {
	switch v := v.(type) {
	case *java.List:
		return &v.Form
	case *java.Map:
		return &v.Form
	}
	return nil
}

// Desc returns the descriptor of a class as a stream described it.
func (d *Describer) Desc(s *java.Serial) (*Desc, error) {
	chain := 0
	for up := s.Super; up != nil; up = up.Super {
		if chain++; chain > MaxClassChain {
			return nil, errors.New("the descriptors of its superclasses have no end")
		}
	}
	return d.desc(s)
}

func (d *Describer) desc(s *java.Serial) (*Desc, error) {
	if known := d.serials[s]; known != nil {
		return known, nil
	}
	var super *Desc
	if s.Super != nil {
		var err error
		if super, err = d.desc(s.Super); err != nil {
			return nil, err
		}
	}
	own := *s // NewDesc links it; the value may be shared
	desc, err := NewDesc(&own, super)
	if err != nil {
		return nil, err
	}
	if d.serials == nil {
		d.serials = map[*java.Serial]*Desc{}
	}
	d.serials[s] = desc
	return desc, nil
}

const classClass = "java.lang.Class"

// ClassValue returns the value of a class object with this descriptor: a
// java.ClassRef where the name says it all, else an object that keeps the rest.
func ClassValue(d *Desc) any {
	if plain := classDesc(d.Class); plain != nil && sameDesc(plain.Serial, d.Serial) && (plain.Super == nil) == (d.Super == nil) {
		return java.ClassRef(d.Class)
	}
	return &java.Object{Class: classClass, Serial: d.Serial, Fields: []java.Field{{Name: "name", Value: d.Class}}}
}

// className returns the name that a class object has; "" for other values.
func className(v any) string {
	switch v := v.(type) {
	case java.ClassRef:
		return string(v)
	case *java.Object:
		if v.Class == classClass && v.Serial != nil {
			return v.Serial.Class
		}
	}
	return ""
}

// classDesc returns the descriptor of a class whose name suffices; nil for others.
func classDesc(class string) *Desc {
	switch class {
	case "boolean", "byte", "short", "int", "long", "char", "float", "double", "void":
		return &Desc{Serial: &java.Serial{Class: class}, Chain: 1, Levels: 1}
	case "":
		return nil
	}
	if class[0] == '[' {
		desc, err := arrayDesc(class, nil)
		if err != nil {
			return nil
		}
		return desc
	}
	if strings.HasPrefix(class, "java.") && Known(class) == nil {
		// Interfaces and classes that are not Serializable, such as Object and List.
		return &Desc{Serial: &java.Serial{Class: class}, Chain: 1, Levels: 1}
	}
	return Known(class)
}

func (d *Describer) classRef(class string) (Described, error) {
	desc := d.Classes.Find(class)
	switch err := d.Classes.Refused(class); {
	case desc != nil && err != nil:
		return Described{}, fmt.Errorf("the class object %s cannot be written: %w", class, err)
	case d.Classes.NotSerializable(class):
		desc = &Desc{Serial: &java.Serial{Class: class}, Chain: 1, Levels: 1}
	case desc == nil:
		desc = classDesc(class)
	}
	if desc == nil {
		return Described{}, fmt.Errorf("the class object %s needs the serialVersionUID of the class: declare the class", class)
	}
	return Described{Kind: KindClass, Desc: desc}, nil
}

// EnumClass returns the descriptor of an enum, which also stands for its class
// object among values.
func EnumClass(class string) *Desc {
	super := Known("java.lang.Enum")
	return &Desc{
		Serial: &java.Serial{Class: class, Flags: FlagSerializable | FlagEnum, Super: super.Serial},
		Super:  super, Chain: 2, Levels: 2,
	}
}

func (d *Describer) enum(class string) *Desc {
	if desc := d.Classes.Find(class); desc != nil && desc.Enum() {
		return desc
	}
	return EnumClass(class)
}

// arrayForm is the serialVersionUID of an array class that is not public.
type arrayForm int64

// arrayDesc returns the descriptor of an array class.
func arrayDesc(class string, v any) (*Desc, error) {
	if known := Known(class); known != nil {
		return known, nil
	}
	if _, dims := jdk.Innermost(class); dims == 0 {
		return nil, fmt.Errorf("%q names no array class", class)
	}
	s := &java.Serial{Class: class, Flags: FlagSerializable, UID: arrayUID(class)}
	if l, ok := v.(*java.List); ok {
		if form, ok := l.Form.(arrayForm); ok {
			s.UID = int64(form)
		}
	}
	return &Desc{Serial: s, Chain: 1, Levels: 1}, nil
}

// ArrayForm returns what an array's list keeps as its Form: nothing where the
// descriptor is that of a public class.
func ArrayForm(d *Desc) any {
	if d.Canonical() || d.UID == arrayUID(d.Class) {
		return nil
	}
	return arrayForm(d.UID)
}

// arrayUID computes the serialVersionUID of an array of a public class: the
// first eight bytes, read backwards, of the SHA-1 of its name and modifiers.
// Java never checks it.
func arrayUID(class string) int64 {
	const publicFinalAbstract = 0x411
	size, _ := TextSize(class)
	b := AppendText(binary.BigEndian.AppendUint16(nil, uint16(size)), class)
	sum := sha1.Sum(binary.BigEndian.AppendUint32(b, publicFinalAbstract))
	return int64(binary.LittleEndian.Uint64(sum[:8]))
}
