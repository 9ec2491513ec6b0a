package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// Codecs are those that are judged, by their names in Go, but for those with a mapper of the service.
func Codecs() []string {
	return []string{"kryo5", "jsonjackson", typedJSON, "marshalling", "serialization", "cborjackson", "smilejackson", "ionjackson", "msgpackjackson"}
}

// Known returns an error where a codec is none of [Codecs] and none of those with a mapper that is judged.
func Known(codec string) error {
	if _, json := jsonCodecs[codec]; json || slices.Contains(Codecs(), codec) {
		return nil
	}
	var mappers []string
	for name := range jsonCodecs {
		if strings.Contains(name, "+") {
			mappers = append(mappers, name)
		}
	}
	slices.Sort(mappers)
	return fmt.Errorf("what codec %s makes of a changed class is not known; there are %s", codec, strings.Join(append(Codecs(), mappers...), ", "))
}

const typedJSON = "typedjsonjackson"

// Finding is what becomes of messages of a class with a codec.
type Finding struct {
	Class, Codec string
	Verdict      Verdict
	Path         string // the field that decides; empty where it is the class itself
	Reason       string
}

// What says in a sentence what happens, and why.
func (f Finding) What() string {
	if f.Path == "" {
		return f.Reason
	}
	return f.Path + " " + f.Reason
}

// ToDo says in a sentence what to do before the deployment; "" for nothing.
func (f Finding) ToDo() string {
	switch {
	case !f.Verdict.Breaks() && f.Verdict != Loses:
		return ""
	case f.Verdict == Loses:
		return "keep the old field until no such message is left, if its value matters"
	case f.Codec == "kryo5" || f.Codec == "marshalling" || f.Codec == "serialization":
		return "let the old program drain the queue first, or rewrite what is pending with \"duequeue recode -old … -new …\", or keep the old class and give the new one another name"
	}
	return "let the old program drain the queue first, or keep the old field as it is and add a new one under another name"
}

// Judge compares the classes of two versions of a service. It is not safe for concurrent use.
type Judge struct{ old, now *program }

// New returns the judge for the classes of the old program, which wrote the messages, and of the new one,
// which will read them. Both stay the caller's, who closes them afterwards.
func New(old, now *classfile.Source) *Judge { return &Judge{newProgram(old), newProgram(now)} }

// Of tells what becomes of messages of a class with a codec, one of [Codecs]. now is the class that
// typedjsonjackson is given in the new program, which the other codecs do not ask for. The error is
// that of a class file, a [*classfile.NotFoundError] for the class itself.
func (j *Judge) Of(class, now, codec string) (Finding, error) {
	f := Finding{Class: class, Codec: codec}
	if _, err := j.old.source.File(class); err != nil {
		return f, err
	}
	var o outcome
	switch c := j.old.class(class); {
	case c == nil:
		return f, j.old.err
	case c.abstract():
		f.Verdict, f.Reason = Unwritten, "is abstract or an interface, so that no message is of it"
		return f, nil
	}
	switch codec {
	case "kryo5":
		o = (&kryo{j.old, j.now}).message(class)
	case "marshalling", "serialization":
		o = (&streams{old: j.old, now: j.now, river: codec == "marshalling"}).message(class)
	default:
		rules, ok := jsonCodecs[codec]
		if !ok {
			return f, Known(codec)
		}
		rules.old, rules.now = j.old, j.now
		o = rules.message(class, now)
	}
	f.Verdict, f.Path, f.Reason = o.verdict, o.path, o.reason
	return f, errors.Join(j.old.err, j.now.err)
}

// Changed returns the classes of the old program that messages may be of, and that have changed or refer
// to one that has: classes with fields of which objects can be made, and that are Serializable, records,
// or beans with a setter. same counts those that have not changed.
func (j *Judge) Changed() (names []string, same int, err error) {
	found := affected(j.old, j.now)
	for _, name := range j.old.source.Names() {
		c, err := j.old.load(name)
		if err != nil || c.abstract() || c.Kind == java.KindEnum || len(j.old.fields(java.TypeExpr{Class: name})) == 0 {
			continue
		}
		switch {
		case c.Kind != java.KindRecord && (special(c) || !slices.Contains(c.Interfaces, "java.io.Serializable") && !bean(c)):
		case found[name]:
			names = append(names, name)
		default:
			same++
		}
	}
	return names, same, j.old.err
}

// special reports whether a class is written by no codec as an object with fields.
func special(c *class) bool {
	return slices.ContainsFunc(c.Interfaces, func(i string) bool { return i == "java.util.Collection" || i == "java.util.Map" }) ||
		classfile.Subtype(c.Super.Class, "java.lang.Throwable")
}

// bean reports whether a class has a constructor without parameters and a setter.
func bean(c *class) bool {
	made, set := false, false
	for _, m := range c.file.Methods {
		made = made || m.Name == "<init>" && m.Descriptor == "()V"
		set = set || strings.HasPrefix(m.Name, "set") && strings.Count(m.Descriptor, ")") == 1 && m.Access.Is(classfile.Public) && !m.Access.Is(classfile.Static)
	}
	return made && set
}
