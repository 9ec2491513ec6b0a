package registry

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// declaration is a queue while it is being defined.
type declaration struct {
	code       string
	at         string // file:line, known once the options are
	policy     Policy
	callerSkip int
	given      map[string]bool // options given so far
	paths      []fieldPaths    // of fields, one each
	mistakes   []mistake
}

// mistake is an error that learns its place when the declaration is finished.
type mistake interface {
	error
	locate(at string)
}

func newDeclaration(code string) *declaration {
	return &declaration{code: code, policy: defaultPolicy(code), given: map[string]bool{}}
}

func (d *declaration) add(m mistake) { d.mistakes = append(d.mistakes, m) }

// options applies all options; the errors of each one are kept.
func (d *declaration) options(opts []Option) {
	for _, o := range opts {
		if o == nil {
			d.add(&OptionError{Code: d.code, Option: "nil", Reason: "an option must not be nil"})
			continue
		}
		o.apply(d)
	}
	if !d.given["Codec"] {
		d.policy.Codec = defaultCodec()
	}
}

// once notes that the option called name, about subject, was given, and
// complains when it was given before.
func (d *declaration) once(name, subject, text string) bool {
	key := name + subject
	if d.given[key] {
		d.add(&OptionError{Code: d.code, Option: text, Reason: "given twice: which one counts?"})
		return false
	}
	d.given[key] = true
	return true
}

// names checks code, title and key.
func (d *declaration) names(title string) {
	if reason := nameFault(d.code); reason != "" {
		d.add(&NameError{Code: d.code, What: "code", Name: d.code, Reason: reason})
	}
	if title != "" {
		if reason := nameFault(title); reason != "" {
			d.add(&NameError{Code: d.code, What: "title", Name: title, Reason: reason})
		}
	}
	if d.given["Key"] {
		if reason := nameFault(d.policy.Key); reason != "" {
			d.add(&NameError{Code: d.code, What: "key", Name: d.policy.Key, Reason: reason})
		}
	}
}

// payloads checks the options that depend on the payload's type or its codec.
func (d *declaration) payloads(t reflect.Type) {
	for _, u := range d.policy.classOrder {
		if !occurs(t, u) && !d.variant(t, u) {
			d.add(&OptionError{
				Code: d.code, Option: fmt.Sprintf("JavaClass[%s](%q)", u, d.policy.classes[u]),
				Reason: fmt.Sprintf("no value of type %s occurs in the payload type %s", u, t),
			})
		}
	}
	if d.policy.TraceInBand && !carriesTrace(t) {
		d.add(&OptionError{
			Code: d.code, Option: "TraceInBand()",
			Reason: fmt.Sprintf("the payload type %s has no place for a traceparent: use map[string]any, or a struct with a string field named traceparent", t),
		})
	}
	d.fields(t)
	if d.policy.Codec != nil {
		d.size(d.policy.Codec)
	}
}

// variant reports whether u describes a class that another type of the payload describes
// too: the class as it was before a deployment of the Java side.
func (d *declaration) variant(t, u reflect.Type) bool {
	others := maps.Clone(d.policy.classes)
	delete(others, u)
	set, err := gotypes.ClassesOf(t, codecs.BindOptions{Classes: others})
	return err == nil && set.Find(gotypes.ClassName(u, d.policy.classes)) != nil
}

// size compares the payload's limit with that of the codec, which must be able
// to read what the queue lets through. Only a limit given is a mistake.
func (d *declaration) size(c codecs.Codec) {
	limit := c.Limits().Bytes
	switch {
	case limit <= 0 || d.policy.MaxPayload <= limit:
	case d.given["MaxPayload"]:
		d.add(&OptionError{
			Code: d.code, Option: MaxPayload(d.policy.MaxPayload).String(),
			Reason: fmt.Sprintf("codec %s reads at most %d bytes: raise its limit too", c.Name(), limit),
		})
	default:
		d.policy.MaxPayload = limit
	}
}

// finish gives every mistake its place.
func (d *declaration) finish() []error {
	errs := make([]error, 0, len(d.mistakes))
	for _, m := range d.mistakes {
		m.locate(d.at)
		errs = append(errs, m)
	}
	return slices.Clip(errs)
}
