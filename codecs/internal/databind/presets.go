package databind

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Jackson2Rules are those of JsonJacksonCodec and of what is built on it:
// CborJacksonCodec, SmileJacksonCodec, IonJacksonCodec and MsgPackJacksonCodec.
func Jackson2Rules() Rules { return Rules{Jackson: 2, Types: true} }

// Typed2Rules are those of TypedJsonJacksonCodec: the same mapper, but no class is
// named.
func Typed2Rules() Rules { return Rules{Jackson: 2, First: option.Release{3, 10, 0}} }

// Jackson3Rules are those of JsonJackson3Codec.
func Jackson3Rules() Rules { return Rules{Jackson: 3, Types: true, First: option.Release{4, 1, 0}} }

// Bare3Rules are those of a mapper of Jackson 3 without configuration, which is what
// TypedJsonJackson3Codec, CborJackson3Codec, SmileJackson3Codec, IonJackson3Codec and
// AvroJackson3Codec have: no class is named, null properties are written. The binary
// ones came with 4.2.0.
func Bare3Rules(first option.Release) Rules { return Rules{Jackson: 3, First: first} }

// limits fills in the defaults: Jackson 3 reads at most 500 containers within each
// other, wrapper arrays included.
func (r *Rules) limits(l codecs.Limits) codecs.Limits {
	if l.Depth == 0 && r.Jackson == 3 {
		l.Depth = 500
	}
	return l.WithDefaults()
}

// keepsNulls reports whether properties and map entries that are null are written.
func (r *Rules) keepsNulls() bool { return r.Jackson == 3 && !r.Types }

// keepsOrder reports whether the components of a record are written in their
// order, as those of its constructor. With Redisson's mapper of Jackson 2 they are
// sorted like all properties.
func (r *Rules) keepsOrder() bool { return r.Jackson == 3 }

// leaksUUID reports whether a UUID names its class where it is declared, although no
// others do: the mix-in of 4.2.0 stayed in TypedJsonJacksonCodec until 4.5.0.
func (r *Rules) leaksUUID() bool {
	return r.Jackson == 2 && !r.Types && !r.Release.Before(option.Release{4, 2, 0}) && r.Release.Before(option.Release{4, 5, 0})
}

// timesForm returns how java.time is written.
func (r *Rules) timesForm() timesForm {
	if r.Jackson == 3 {
		return times3
	}
	return r.times
}

// dateZone returns what stands for UTC in a date that is a text, and whether dates
// are texts.
func (r *Rules) dateZone() (zone string, text bool) {
	switch {
	case r.Jackson == 3:
		return "Z", true
	case r.Release.Before(option.Release{3, 13, 3}): // Jackson 2.10 and older
		zone = "+0000"
	default:
		zone = "+00:00"
	}
	return zone, r.times == timesText
}
