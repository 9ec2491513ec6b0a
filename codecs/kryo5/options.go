package kryo5

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
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

func (o limitsOption) String() string { return fmt.Sprintf("kryo5.Limits(%+v)", codecs.Limits(o)) }

func (o limitsOption) apply(c *Codec) error {
	c.limits = codecs.Limits(o).WithDefaults()
	if o.Depth < 0 || o.Depth > c.limits.Depth {
		return fmt.Errorf("option %s: Depth must be between 1 and %d", o, codecs.Limits{Depth: -1}.WithDefaults().Depth)
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
