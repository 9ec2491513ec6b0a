package catalog

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Options are what a codec may be told beside its name. The zero value is a codec
// with its defaults. What a codec does not know is an error, never ignored.
type Options struct {
	// Limits bound what is decoded; every codec knows them.
	Limits codecs.Limits
	// Classes are the user classes that payloads may hold: kryo5 and fst cannot
	// read those without, the others write them; those on Jackson read fields as
	// they are declared.
	Classes *java.Classes
	// References is kryo5's: the Java side set useReferences.
	References bool
	// Since is the version of the software on the Java side: Redisson's for kryo5, the
	// codecs on Jackson and the compressing ones ("3.46.0"), that of fast-serialization
	// for fst alone ("2.57"). Empty is the codec's default.
	Since string
	// Dialect is that of the codecs on Jackson: "jackson2", "jackson2-uuid",
	// "jackson2.9", "jackson3"; see jackson.ParseDialect. It says less than Since.
	Dialect string
	// Schema is the Avro schema of the Java side as JSON, which avrojackson and
	// avrojackson3 need.
	Schema string
	// Allowed are the classes that the Java side registered: allowedClasses for
	// kryo5, registerClass for fst. The order counts for fst, and for kryo5 with
	// Since before 4.1.0: newer ones sort the names.
	Allowed []string
	// Hooks are fst's: user classes with writeObject and its like.
	Hooks []string
}

// unsorted reports whether Redisson numbers allowed classes in the order in which
// it has them.
func (o Options) unsorted() bool {
	r, err := option.ParseRelease(o.Since)
	return err == nil && r.Before(option.Release{4, 1, 0})
}

// takes says which options a codec knows.
type takes struct{ classes, references, since, dialect, schema, allowed, hooks bool }

// given says which options are set.
func (o Options) given() takes {
	return takes{
		classes: o.Classes.Len() > 0, references: o.References, since: o.Since != "", dialect: o.Dialect != "",
		schema: o.Schema != "", allowed: len(o.Allowed) > 0, hooks: len(o.Hooks) > 0,
	}
}

// only returns o without what t does not take.
func (o Options) only(t takes) Options {
	if !t.classes {
		o.Classes = nil
	}
	o.References = o.References && t.references
	if !t.since {
		o.Since = ""
	}
	if !t.dialect {
		o.Dialect = ""
	}
	if !t.schema {
		o.Schema = ""
	}
	if !t.allowed {
		o.Allowed = nil
	}
	if !t.hooks {
		o.Hooks = nil
	}
	return o
}

// without returns the names of what is in t and not in other.
func (t takes) without(other takes) []string {
	var names []string
	for _, f := range []struct {
		name       string
		set, known bool
	}{
		{"Classes", t.classes, other.classes},
		{"References", t.references, other.references},
		{"Since", t.since, other.since},
		{"Dialect", t.dialect, other.dialect},
		{"Schema", t.schema, other.schema},
		{"Allowed", t.allowed, other.allowed},
		{"Hooks", t.hooks, other.hooks},
	} {
		if f.set && !f.known {
			names = append(names, f.name)
		}
	}
	return names
}

func (t takes) or(other takes) takes {
	return takes{
		classes: t.classes || other.classes, references: t.references || other.references, since: t.since || other.since,
		dialect: t.dialect || other.dialect, schema: t.schema || other.schema, allowed: t.allowed || other.allowed, hooks: t.hooks || other.hooks,
	}
}

// OptionError says which options a codec does not know, or why one is wrong.
type OptionError struct {
	Codec   string   // canonical name
	Options []string // fields of [Options] that the codec does not know; empty where one is wrong
	Err     error    // what is wrong, nil where an option is not known
}

// Error formats all that is known in one line.
func (e *OptionError) Error() string {
	if len(e.Options) > 0 {
		return fmt.Sprintf("codec %s does not know the option %s", e.Codec, strings.Join(e.Options, ", "))
	}
	return fmt.Sprintf("codec %s: %v", e.Codec, e.Err)
}

// Unwrap returns the underlying error.
func (e *OptionError) Unwrap() error { return e.Err }

// checked returns the codec, or the mistakes in its options, which a codec
// reports when it is bound.
func checked(c codecs.Codec) (codecs.Codec, error) {
	_, err := c.Bind(reflect.TypeFor[any](), codecs.BindOptions{})
	if err == nil {
		return c, nil
	}
	var bind *codecs.BindError
	if errors.As(err, &bind) && bind.Err != nil {
		err = bind.Err
	}
	return nil, &OptionError{Codec: c.Name(), Err: err}
}
