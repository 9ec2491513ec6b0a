package keyorder

import (
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
)

// StringHash returns Java's String.hashCode of s: over UTF-16 code units, with
// lone surrogates given as three WTF-8 bytes. Bytes that are neither UTF-8 nor a
// surrogate count as U+FFFD.
func StringHash(s string) int32 {
	var h int32
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			h = 31*h + int32(c)
			i++
			continue
		}
		r, n := javatext.DecodeRune(s[i:])
		i += n
		if r > 0xffff {
			r -= 0x10000
			h = 31*h + (0xd800 + r>>10)
			h = 31*h + (0xdc00 + r&0x3ff)
			continue
		}
		h = 31*h + r
	}
	return h
}

// HashCode returns Java's hashCode of v and true for null (0, as HashMap counts
// it), String, Boolean, Character, the numeric wrappers and Go's int (as
// Integer), BigInteger, BigDecimal, dates, java.time, UUID, BitSet, and of [java.Text]
// ZoneRegion and charsets. It returns false for all other values: the hash codes of
// enums, classes, currencies and plain objects differ from one JVM to the next,
// that of a Locale from one version to the next, and containers are not asked.
func HashCode(v any) (int32, bool) {
	switch v := v.(type) {
	case nil:
		return 0, true
	case string:
		return StringHash(v), true
	case bool:
		if v {
			return 1231, true
		}
		return 1237, true
	case int8:
		return int32(v), true
	case int16:
		return int32(v), true
	case int32:
		return v, true
	case int:
		return int32(v), v == int(int32(v))
	case int64:
		return Hash64(uint64(v)), true
	case float32:
		return floatHash(v), true
	case float64:
		return doubleHash(v), true
	}
	if t := jdk.Of(v); t != nil && t.Hash != nil {
		return t.Hash(v)
	}
	return 0, false
}

// Hash64 is Long.hashCode.
func Hash64(v uint64) int32 { return int32(uint32(v ^ v>>32)) }

func floatHash(f float32) int32 { return int32(javatext.FloatBits(f)) }

func doubleHash(f float64) int32 { return Hash64(javatext.DoubleBits(f)) }
