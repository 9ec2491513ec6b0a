package serial

import (
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Refusals are what a codec refuses of the classes in payloads: fields that the Go type
// of the class does not have, or that it has and the payload does not. It is safe for
// concurrent use.
type Refusals struct {
	unknown, missing bool
	beans            map[string][]java.FieldDesc // of the Go types, by class
	classes          *Classes
	seen             sync.Map // *Desc to refusal
}

// refusal is the first field that differs, and what is to be said of all of them; empty
// for none.
type refusal struct{ field, reason string }

// maxRefusals bounds the classes whose check is remembered.
const maxRefusals = 256

// NewRefusals returns what is refused where payloads go into the Go types of a plan;
// nil where neither unknown nor missing fields are.
func NewRefusals(unknown, missing bool, plan *java.Plan, opts codecs.BindOptions, classes *Classes) *Refusals {
	if !unknown && !missing {
		return nil
	}
	r := &Refusals{unknown: unknown, missing: missing, beans: map[string][]java.FieldDesc{}, classes: classes}
	for _, bean := range plan.Beans() {
		class := java.ClassName(bean.Type, opts.Classes)
		if fields, err := java.BoundFieldsOf(bean.Type, opts); err == nil && r.beans[class] == nil {
			r.beans[class] = fields
		}
	}
	return r
}

// Check compares the class of an instance with the Go types: the error has no offset, and the
// path of the first field that differs. A nil r refuses nothing.
func (r *Refusals) Check(codec string, d *Desc) *codecs.DecodeError {
	if r == nil {
		return nil
	}
	known, ok := r.seen.Load(d)
	if !ok {
		known = r.check(d)
		r.remember(d, known.(refusal))
	}
	wrong := known.(refusal)
	if wrong.reason == "" {
		return nil
	}
	return &codecs.DecodeError{Codec: codec, Class: d.Class, Path: java.Key(wrong.field), Offset: -1, Reason: "fields differ: " + wrong.reason}
}

// remember keeps the result for descriptors that payloads share.
func (r *Refusals) remember(d *Desc, wrong refusal) {
	n := 0
	r.seen.Range(func(any, any) bool { n++; return n < maxRefusals })
	if n < maxRefusals {
		r.seen.Store(d, wrong)
	}
}

func (r *Refusals) check(d *Desc) refusal {
	var first string
	var wrong []string
	differs := func(field, reason string) {
		if first == "" {
			first = field
		}
		wrong = append(wrong, reason)
	}
	for c := d; c != nil; c = c.Super {
		fields, ok := r.beans[c.Class]
		if !ok {
			continue
		}
		found, levels := make([]bool, len(fields)), c.Lineage(nil)
		for _, l := range levels {
			for _, f := range l.Fields {
				if at := fieldFor(fields, levels, l.Class, f.Name); at >= 0 {
					found[at] = true
				} else if r.unknown {
					differs(f.Name, "the Go type has no field "+f.Name+" of "+l.Class)
				}
			}
		}
		for i, f := range fields {
			if r.missing && !found[i] && !r.classes.NotSerializable(f.Level) {
				differs(f.Name, "the payload has no field "+f.Name+" of "+f.Level)
			}
		}
	}
	return refusal{first, strings.Join(wrong, "; ")}
}

// fieldFor returns the Go field for a field of a payload, -1 for none: that of its level, or
// else one of its name whose own level does not have one in the payload.
func fieldFor(fields []java.FieldDesc, levels []*Desc, level, name string) int {
	other := -1
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Name != name:
		case f.Level == level:
			return i
		case !slices.ContainsFunc(levels, func(l *Desc) bool {
			return l.Class == f.Level && slices.ContainsFunc(l.Fields, func(s java.SerialField) bool { return s.Name == name })
		}):
			other = i
		}
	}
	return other
}
