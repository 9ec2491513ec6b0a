package codecs

import (
	"fmt"
	"math"
)

// Default limits. A message of a delayed queue is far below each of them.
const (
	DefaultMaxBytes       = 16 << 20
	DefaultMaxElements    = 1 << 20
	DefaultMaxDepth       = 512
	DefaultMaxStringBytes = 8 << 20
)

// Limits bound what a decoder accepts, so that hostile bytes cannot hang it,
// exhaust memory or overflow the stack. In each field zero means the default
// and a negative number means no limit, except for Depth, which always has one.
type Limits struct {
	// Bytes bounds the payload. Defaults to [DefaultMaxBytes].
	Bytes int
	// Elements bounds the values of one payload in total: list elements, map
	// entries, fields. Defaults to [DefaultMaxElements].
	Elements int
	// Depth bounds nesting; at most 10,000. Defaults to [DefaultMaxDepth].
	Depth int
	// StringBytes bounds one string as UTF-8. Defaults to [DefaultMaxStringBytes].
	StringBytes int
}

const hardMaxDepth = 10_000

// WithDefaults returns l with zero fields set to their defaults, negative ones
// to the largest int and Depth held to its hard bound.
func (l Limits) WithDefaults() Limits {
	pick := func(v, def int) int {
		switch {
		case v == 0:
			return def
		case v < 0:
			return math.MaxInt
		}
		return v
	}
	return Limits{
		Bytes:       pick(l.Bytes, DefaultMaxBytes),
		Elements:    pick(l.Elements, DefaultMaxElements),
		Depth:       min(pick(l.Depth, DefaultMaxDepth), hardMaxDepth),
		StringBytes: pick(l.StringBytes, DefaultMaxStringBytes),
	}
}

// Check reports a Depth that is negative or above 10,000, which codecs that nest
// refuse as an option.
func (l Limits) Check() error {
	if l.Depth < 0 || l.Depth > hardMaxDepth {
		return fmt.Errorf("Depth must be between 1 and %d", hardMaxDepth) //nolint:staticcheck // begins with the name of the field
	}
	return nil
}
