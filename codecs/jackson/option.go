package jackson

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
)

// Option sets one thing about the codec.
type Option interface {
	apply(c *Codec)
	String() string
}

type limitsOption codecs.Limits

func (l limitsOption) apply(c *Codec) { c.limits = codecs.Limits(l) }

func (l limitsOption) String() string { return fmt.Sprintf("jackson.Limits(%+v)", codecs.Limits(l)) }

// Limits sets the limits of decoding; zero fields keep their defaults. Encoding
// keeps Bytes and Depth.
func Limits(l codecs.Limits) Option { return limitsOption(l) }

// Dialect says which releases of Redisson the bytes written are those of.
// Reading is the same for all. It is an [Option].
type Dialect int

// The dialects. Among the values that this package writes they differ in one: a
// Double that is NaN or infinite, inside a map or list.
const (
	// Redisson3_12 is Redisson 3.11.6 to 4.7.0 (Jackson 2.10 and later): NaN is
	// ["java.lang.Double","NaN"]. It is the default.
	Redisson3_12 Dialect = iota
	// Redisson3_8 is Redisson 3.8.1 to 3.11.5 (Jackson 2.9): NaN is "NaN",
	// which Java reads back as a String.
	Redisson3_8
)

func (d Dialect) apply(c *Codec) { c.dialect = d }

// String returns the constant's name.
func (d Dialect) String() string {
	if d == Redisson3_8 {
		return "jackson.Redisson3_8"
	}
	return "jackson.Redisson3_12"
}
