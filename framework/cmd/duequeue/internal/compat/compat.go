package compat

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// Codecs are those that are judged, by their names in Go.
func Codecs() []string {
	return []string{"kryo5", "jsonjackson", "typedjsonjackson", "marshalling", "serialization"}
}

// Finding is what becomes of messages of a class with a codec.
type Finding struct {
	Class   string  `json:"class"`
	Codec   string  `json:"codec"`
	Verdict Verdict `json:"verdict"`
	// Path is the field that decides; empty where it is the class itself.
	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// judge judges the messages of a class; now is the class that a codec which names none is told of.
type judge interface {
	message(old, now string) outcome
}

// Judge tells what becomes of messages of a class. Where the class has another name in the new
// program, now is that; a codec that writes the class finds the old name alone. The error is that of
// a class file that cannot be read, or a [*classfile.NotFoundError].
func Judge(old, now *classfile.Source, class, nowClass, codec string) (Finding, error) {
	f := Finding{Class: class, Codec: codec}
	if _, err := old.File(class); err != nil {
		return f, err
	}
	a, b := newProgram(old), newProgram(now)
	var j judge
	switch codec {
	case "kryo5":
		j = &kryo{old: a, now: b}
	case "jsonjackson", "typedjsonjackson":
		j = &jsonRules{old: a, now: b, typed: codec == "typedjsonjackson"}
	case "marshalling", "serialization":
		j = &streams{old: a, now: b, river: codec == "marshalling"}
	default:
		return f, fmt.Errorf("codec %s is not judged", codec)
	}
	o := j.message(class, nowClass)
	f.Verdict, f.Path, f.Reason = o.verdict, o.path, o.reason
	if a.err != nil {
		return f, a.err
	}
	return f, b.err
}
