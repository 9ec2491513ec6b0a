package classfile

import (
	"bytes"
	"slices"
)

// Access are the access flags of a class, field or method.
type Access uint16

// The access flags of the JVM specification, tables 4.1, 4.5, 4.6 and 4.7.
const (
	Public       Access = 0x0001
	Private      Access = 0x0002
	Protected    Access = 0x0004
	Static       Access = 0x0008
	Final        Access = 0x0010
	Synchronized Access = 0x0020 // of methods
	Volatile     Access = 0x0040 // of fields
	Transient    Access = 0x0080 // of fields
	Native       Access = 0x0100
	Interface    Access = 0x0200
	Abstract     Access = 0x0400
	Strict       Access = 0x0800
	Synthetic    Access = 0x1000
	Annotation   Access = 0x2000
	Enum         Access = 0x4000
	module       Access = 0x8000
)

// Is reports whether all flags of want are set.
func (a Access) Is(want Access) bool { return a&want == want }

// MaxBytes bounds one class file. The largest the JVM takes are a fraction of it.
const MaxBytes = 16 << 20

// File is one parsed class file. It is immutable and keeps the bytes it was
// parsed from.
type File struct {
	Major, Minor int    // version of the format: 52.0 is Java 8, 61.0 Java 17
	Name         string // binary name, for example "demo.Order$Item"
	// Access are the flags of the source: for a nested class those of its
	// InnerClasses entry, which knows static, private and protected too.
	Access      Access
	Super       string   // name of the superclass; empty for java.lang.Object
	Interfaces  []string // those it names itself, in order
	Signature   string   // generic signature; empty where the class has none
	Fields      []Member
	Methods     []Member // constructors as <init>, a static initializer as <clinit>
	Annotations Notes
	// Record says that the class has a Record attribute.
	Record bool
	// Inner says that instances keep a reference to one of an enclosing class, or
	// to nothing where the class is local to a static method.
	Inner bool

	pool pool
}

// Member is one field or method.
type Member struct {
	Access      Access
	Name        string
	Descriptor  string // for example "Ljava/util/List;" or "(I)V"
	Signature   string // generic signature; empty where there is none
	Annotations Notes
	// Constant is the value of a constant field of integer type; nil otherwise.
	Constant *int64

	code cursor // the instructions of a method
}

// Parse reads one class file of any version from 45 (JDK 1.0) on. Attributes it
// does not know are skipped. The error is a [*FormatError]. The result keeps data.
func Parse(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, &FormatError{Offset: -1, Reason: "larger than 16 MiB"}
	}
	p := &parser{cursor: cursor{data: data}, file: &File{}, names: nameFactor*len(data) + nameFloor}
	p.parse()
	if p.err != nil {
		p.err.Class = p.file.Name
		return nil, p.err
	}
	return p.file, nil
}

type parser struct {
	cursor
	file  *File
	names int // bytes of names that its members may still have
}

// Names of members stand in the constant pool once and may be used often: no
// compiler's class comes near sixteen times its size, and what is made of them
// later stays linear.
const (
	nameFactor = 16
	nameFloor  = 64 << 10
)

const tooManyNames = "the names of its members add up to more than %d times its size"

// spend takes the names of a member off the budget.
func (p *parser) spend(names ...string) {
	for _, n := range names {
		p.names -= len(n)
	}
	if p.names < 0 {
		p.fail(p.offset(), tooManyNames, nameFactor)
	}
}

func (p *parser) parse() {
	f := p.file
	if p.u4() != 0xCAFEBABE {
		p.err = &FormatError{Offset: 0, Reason: "no class file: it does not begin with CA FE BA BE"}
		return
	}
	f.Minor, f.Major = p.u2(), p.u2()
	if f.Major < 45 {
		p.fail(6, "version %d: there is none below 45", f.Major)
	}
	f.pool = readPool(&p.cursor)
	f.Access = Access(p.u2())
	if f.Access.Is(module) {
		p.fail(p.offset()-2, "a module descriptor, which has no class")
	}
	at := p.offset()
	f.Name = f.pool.class(&p.cursor, p.u2())
	if p.err == nil && f.Name[0] == '[' {
		p.fail(at, "the class is an array")
	}
	if super := p.u2(); super != 0 {
		f.Super = f.pool.class(&p.cursor, super)
	}
	for range p.u2() {
		if p.err != nil {
			return
		}
		name := f.pool.class(&p.cursor, p.u2())
		p.spend(name)
		f.Interfaces = append(f.Interfaces, name)
	}
	f.Fields = p.members()
	f.Methods = p.members()
	p.attributes(p.classAttribute)
	if p.err == nil && p.at < len(p.data) {
		p.fail(p.at, "%d bytes follow the class", len(p.data)-p.at)
	}
}

func (p *parser) members() []Member {
	count := p.u2()
	list := make([]Member, 0, min(count, (len(p.data)-p.at)/8)) // none is shorter
	for range count {
		m := Member{Access: Access(p.u2())}
		m.Name = p.file.pool.text(&p.cursor, p.u2())
		m.Descriptor = p.file.pool.text(&p.cursor, p.u2())
		p.attributes(func(name string, c *cursor) { p.memberAttribute(&m, name, c) })
		p.spend(m.Name, m.Descriptor, m.Signature)
		if p.err != nil {
			return nil
		}
		list = append(list, m)
	}
	return list
}

// attributes calls read for each attribute with a cursor over its content.
func (p *parser) attributes(read func(name string, c *cursor)) {
	for range p.u2() {
		name := p.file.pool.text(&p.cursor, p.u2())
		c := p.part(p.u4())
		if p.err != nil {
			return
		}
		read(name, &c)
		if p.err = c.err; p.err != nil {
			return
		}
	}
}

// The attributes with annotations: those that Java's reflection shows, and those that only the
// class file has.
const (
	visibleNotes   = "RuntimeVisibleAnnotations"
	invisibleNotes = "RuntimeInvisibleAnnotations"
)

func (p *parser) classAttribute(name string, c *cursor) {
	f := p.file
	switch name {
	case "Signature":
		f.Signature = f.pool.text(c, c.u2())
	case "Record":
		f.Record = true
	case "InnerClasses":
		p.innerClasses(c)
	case "Synthetic":
		f.Access |= Synthetic
	case visibleNotes, invisibleNotes:
		f.Annotations = append(f.Annotations, p.notes(c)...)
	}
}

// innerClasses takes the flags that the source gives a nested class: those in
// the head of the file lack static, private and protected.
func (p *parser) innerClasses(c *cursor) {
	f := p.file
	for range c.u2() {
		inner, _, _ := f.pool.class(c, c.u2()), c.u2(), c.u2()
		access := Access(c.u2())
		if c.err != nil {
			return
		}
		if inner == f.Name {
			f.Access = access | f.Access&Synthetic
			f.Inner = access&(Static|Interface|Enum) == 0
		}
	}
}

func (p *parser) memberAttribute(m *Member, name string, c *cursor) {
	pool := &p.file.pool
	switch name {
	case "Signature":
		m.Signature = pool.text(c, c.u2())
	case "Synthetic":
		m.Access |= Synthetic
	case "ConstantValue":
		if v, ok := pool.integer(c.u2()); ok {
			m.Constant = &v
		}
	case visibleNotes, invisibleNotes:
		m.Annotations = append(m.Annotations, p.notes(c)...)
	case "Code":
		c.bytes(4) // sizes of stack and variables
		m.code = c.part(c.u4())
	}
}

// Mentions reports whether a text, such as the slashed name of a package, stands anywhere in the file.
func (f *File) Mentions(text string) bool { return bytes.Contains(f.pool.data, []byte(text)) }

// Method returns the first method of that name, or nil.
func (f *File) Method(name string) *Member {
	if i := slices.IndexFunc(f.Methods, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &f.Methods[i]
	}
	return nil
}

// Field returns the field of that name, or nil.
func (f *File) Field(name string) *Member {
	if i := slices.IndexFunc(f.Fields, func(m Member) bool { return m.Name == name }); i >= 0 {
		return &f.Fields[i]
	}
	return nil
}
