package serialization

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface {
	apply(c *Codec) error
	String() string
}

// Limits bounds what Decode accepts and how deeply Encode nests. Zero fields
// mean the defaults of [codecs.Limits]. A Depth that is negative or above 10,000
// is a mistake, which Bind, Decode and Encode report.
func Limits(l codecs.Limits) Option { return limitsOption(l) }

type limitsOption codecs.Limits

func (o limitsOption) String() string {
	return fmt.Sprintf("serialization.Limits(%+v)", codecs.Limits(o))
}

func (o limitsOption) apply(c *Codec) error {
	c.limits = codecs.Limits(o).WithDefaults()
	if err := codecs.Limits(o).Check(); err != nil {
		return fmt.Errorf("option %s: %w", o, err)
	}
	return nil
}

// Classes declares Java classes for writing: what Encode needs to know of the
// objects and enums of other codecs, and Bind of superclasses that no Go type
// stands for. Reading needs none. Several such options add up, earlier ones win.
// A nil set is empty.
func Classes(set *java.Classes) Option { return classesOption{set} }

type classesOption struct{ set *java.Classes }

func (o classesOption) String() string {
	return fmt.Sprintf("serialization.Classes(%d classes)", o.set.Len())
}

func (o classesOption) apply(c *Codec) error {
	joined, err := c.classes.Join(o.set)
	if err != nil {
		return fmt.Errorf("option %s: %w", o, err)
	}
	c.classes = joined
	return nil
}

// NoFields names classes whose writeObject method calls neither
// defaultWriteObject nor writeFields: their fields are declared in the stream,
// but not in it, which only the source of the class can tell. Without this
// option such a payload is an error, or reads as nonsense. No class of the JDK
// needs it.
func NoFields(classes ...string) Option { return noFieldsOption(classes) }

type noFieldsOption []string

func (o noFieldsOption) String() string {
	return "serialization.NoFields(" + strings.Join(o, ", ") + ")"
}

func (o noFieldsOption) apply(c *Codec) error {
	if c.noFields == nil {
		c.noFields = map[string]bool{}
	}
	for _, class := range o {
		if class == "" {
			return fmt.Errorf("option %s: a class name is empty", o)
		}
		c.noFields[class] = true
	}
	return nil
}

// configure applies options in order and returns all their mistakes.
func (c *Codec) configure(opts []Option) error {
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
			continue
		}
		if err := o.apply(c); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
