package classfile

import (
	"cmp"
	"crypto/sha1" // the Java specification names this hash
	"encoding/binary"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// SerialName is the field that declares the version of a serializable class.
const serialName = "serialVersionUID"

// SerialVersionUID returns what ObjectStreamClass.getSerialVersionUID gives for a
// serializable class: 0 for enums, the declared value, 0 for other records, or
// else what [File.DefaultSerial] computes. It returns false where the class
// declares one that only running its code would tell. Whether the class is
// serializable is not looked at.
func (f *File) SerialVersionUID() (int64, bool) {
	if f.isEnum() {
		return 0, true
	}
	if m := f.Field(serialName); m != nil && m.Access.Is(Static|Final) && strings.ContainsAny(m.Descriptor, "BSCIJ") && len(m.Descriptor) == 1 {
		if m.Constant == nil {
			return 0, false
		}
		return *m.Constant, true
	}
	if f.isRecord() {
		return 0, true
	}
	return f.DefaultSerial(), true
}

// DefaultSerial computes the serialVersionUID that Java computes for a class which
// declares none: a hash over its name, interfaces, fields, constructors and
// methods, Java Object Serialization Specification 4.6.
func (f *File) DefaultSerial() int64 {
	var s serialHash
	constructors := pick(f.Methods, func(m *Member) bool { return m.Name == "<init>" })
	methods := pick(f.Methods, func(m *Member) bool { return !strings.HasPrefix(m.Name, "<") })
	access := f.Access & (Public | Final | Interface | Abstract)
	if access.Is(Interface) {
		// Old compilers set abstract only where there are methods.
		access &^= Abstract
		if len(methods) > 0 {
			access |= Abstract
		}
	}
	s.text(f.Name)
	s.access(access)
	for _, name := range slices.SortedFunc(slices.Values(f.Interfaces), javatext.Compare) {
		s.text(name)
	}
	fields := pick(f.Fields, func(*Member) bool { return true })
	slices.SortStableFunc(fields, func(a, b *Member) int { return javatext.Compare(a.Name, b.Name) })
	for _, m := range fields {
		access := m.Access & (Public | Private | Protected | Static | Final | Volatile | Transient)
		if access.Is(Private) && access&(Static|Transient) != 0 {
			continue
		}
		s.member(m.Name, access, m.Descriptor)
	}
	if f.Method("<clinit>") != nil {
		s.member("<clinit>", Static, "()V")
	}
	s.methods(constructors)
	s.methods(methods)
	sum := sha1.Sum(s)
	return int64(binary.LittleEndian.Uint64(sum[:]))
}

func pick(list []Member, want func(*Member) bool) []*Member {
	var out []*Member
	for i := range list {
		if want(&list[i]) {
			out = append(out, &list[i])
		}
	}
	return out
}

// serialHash is what java.io.DataOutputStream would have written.
type serialHash []byte

func (s *serialHash) text(t string) {
	at := len(*s)
	*s = serial.AppendText(append(*s, 0, 0), t)
	binary.BigEndian.PutUint16((*s)[at:], uint16(len(*s)-at-2))
}

func (s *serialHash) access(a Access) { *s = binary.BigEndian.AppendUint32(*s, uint32(a)) }

func (s *serialHash) member(name string, a Access, descriptor string) {
	s.text(name)
	s.access(a)
	s.text(descriptor)
}

// methods writes all but the private ones, sorted by name and descriptor, which
// here has dots.
func (s *serialHash) methods(list []*Member) {
	slices.SortStableFunc(list, func(a, b *Member) int {
		return cmp.Or(javatext.Compare(a.Name, b.Name), javatext.Compare(a.Descriptor, b.Descriptor))
	})
	for _, m := range list {
		access := m.Access & (Public | Private | Protected | Static | Final | Synchronized | Native | Abstract | Strict)
		if !access.Is(Private) {
			s.member(m.Name, access, strings.ReplaceAll(m.Descriptor, "/", "."))
		}
	}
}
