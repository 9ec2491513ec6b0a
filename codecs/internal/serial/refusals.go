package serial

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Refusals are what a codec refuses of the classes in payloads: fields that the Go type
// of the class does not have, or that it has and the payload does not.
type Refusals struct {
	unknown, missing bool
	beans            map[string][]gotypes.FieldDesc // of the Go types, by class
	classes          *Classes
}

// newRefusals returns what is refused where payloads go into the Go types of a plan;
// nil where neither unknown nor missing fields are.
func newRefusals(s Settings, plan *bridge.Plan, opts codecs.BindOptions, classes *Classes) *Refusals {
	if !s.RefuseUnknown && !s.RefuseMissing {
		return nil
	}
	r := &Refusals{unknown: s.RefuseUnknown, missing: s.RefuseMissing, beans: map[string][]gotypes.FieldDesc{}, classes: classes}
	for _, bean := range plan.Beans() {
		class := gotypes.ClassName(bean.Type, opts.Classes)
		if fields, err := gotypes.FieldsOf(bean.Type, opts); err == nil && r.beans[class] == nil {
			r.beans[class] = fields
		}
	}
	return r
}

// of compares the class of an instance with the Go types: it returns the first field that
// differs, and what is to be said of all of them.
func (r *Refusals) of(d *Desc) (first, reason string) {
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
		found, levels := make([]bool, len(fields)), c.Lineage()
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
	return first, strings.Join(wrong, "; ")
}

// fieldFor returns the Go field for a field of a payload, -1 for none: that of its level, or
// else one of its name whose own level does not have one in the payload.
func fieldFor(fields []gotypes.FieldDesc, levels []*Desc, level, name string) int {
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
