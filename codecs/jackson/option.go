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

// The dialects. Among the values that this package writes they differ in two: a
// Double that is NaN or infinite, inside a map or list, and a UUID that is the
// root or a field declared as UUID. Java reads only its own form of the latter.
const (
	// Redisson3_12 is Redisson 3.11.6 to 4.1.x (Jackson 2.10 and later): NaN is
	// ["java.lang.Double","NaN"], a UUID is its text. It is the default, and right
	// for 4.2.0 and later too where no UUID is declared.
	Redisson3_12 Dialect = iota
	// Redisson3_8 is Redisson 3.8.1 to 3.11.5 (Jackson 2.9): NaN is "NaN",
	// which Java reads back as a String.
	Redisson3_8
	// Redisson4_2 is Redisson 4.2.0 to 4.7.0: NaN as in Redisson3_12, a UUID is
	// ["java.util.UUID","…"].
	Redisson4_2
)

func (d Dialect) apply(c *Codec) { c.dialect = d }

// String returns the constant's name.
func (d Dialect) String() string {
	switch d {
	case Redisson3_8:
		return "jackson.Redisson3_8"
	case Redisson4_2:
		return "jackson.Redisson4_2"
	case Redisson3_12:
	}
	return "jackson.Redisson3_12"
}
