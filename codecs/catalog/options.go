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
	// Schema is the Avro schema of the Java side as JSON, which avrojackson and
	// avrojackson3 need.
	Schema string
	// Allowed are the classes that the Java side registered: allowedClasses for
	// kryo5, registerClass for fst. The order counts for fst, and for kryo5 with
	// Since before 4.1.0: newer ones sort the names.
	Allowed []string
	// Hooks are fst's: user classes with writeObject and its like.
	Hooks []string

	mapper string // of jackson.ParseMapper; the name of the codec has it
}

// unsorted reports whether Redisson numbers allowed classes in the order in which
// it has them.
func (o Options) unsorted() bool {
	r, err := option.ParseRelease(o.Since)
	return err == nil && r.Before(option.Release{4, 1, 0})
}

// takes are the options that a codec knows.
type takes uint8

const (
	takesClasses takes = 1 << iota
	takesReferences
	takesSince
	takesSchema
	takesAllowed
	takesHooks
	takesMapper // in the name of the codec
)

// optionNames are the fields of [Options] in that order, without the mapper.
var optionNames = [...]string{"Classes", "References", "Since", "Schema", "Allowed", "Hooks"}

// names returns the fields of [Options].
func (t takes) names() []string {
	var names []string
	for i, name := range optionNames {
		if t>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// given says which options are set.
func (o Options) given() (t takes) {
	for i, set := range []bool{
		o.Classes.Len() > 0, o.References, o.Since != "", o.Schema != "", len(o.Allowed) > 0, len(o.Hooks) > 0,
	} {
		if set {
			t |= 1 << i
		}
	}
	return t
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
