package jackson

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Canonical names of the other JSON codecs of Redisson.
const (
	NameTyped  = "typedjsonjackson"
	Name3      = "jsonjackson3"
	NameTyped3 = "typedjsonjackson3"
)

// TypedJsonJackson returns the codec of Redisson's TypedJsonJacksonCodec (3.10.0 and
// later), canonical name "typedjsonjackson": the JSON of [JsonJackson] without any
// class, since the Java side names the class when it makes the codec:
//
//	new TypedJsonJacksonCodec(Order.class)     // Java
//	registry.Codec(jackson.TypedJsonJackson()) // Go: the type is that of the queue
//
// A struct needs no Java class; its fields are written in the order of their names,
// null fields not at all. Dates are milliseconds. From Redisson 4.2.0 to 4.4.x a
// UUID was ["java.util.UUID","…"] here too: Since says so, and both are read.
//
// Without a Go type, maps and lists come back as *java.Map of class
// java.util.LinkedHashMap and *java.List of class java.util.ArrayList, and a fraction
// that a double would spell otherwise as java.BigDecimal.
func TypedJsonJackson(opts ...Option) codecs.Codec { //nolint:staticcheck // as Java spells it
	return databind.New(format(NameTyped), databind.Rules{Jackson: 2, First: option.Release{3, 10, 0}}, opts...)
}

// JsonJackson3 returns the codec of Redisson's JsonJackson3Codec (4.1.0 and later),
// canonical name "jsonjackson3", as its constructors without a mapper set it up. It
// looks like [JsonJackson] and is another format; the differences:
//
//	long, Long         5 both where they are declared and at the root; ["java.lang.Long",5] in maps and lists
//	Date               ["java.util.Date","2023-11-14T22:13:20.123Z"]
//	java.time          "2024-01-02" where declared, ["java.time.LocalDate","2024-01-02"] elsewhere
//	enums              what their toString gives: see [EnumTexts]
//	BigDecimal 1E+3    ["java.math.BigDecimal",1E+3], not 1000
//	Locale             "en-US"
//	UUID               ["java.util.UUID","…"] everywhere, with 4.1.0 (Since) as in Redisson3_12
//	records            components in their order, not sorted
//	text               code points above U+FFFF as they are
//	Throwables         without "@id"
//	properties         Java takes public fields and getters, not private fields
//
// new JsonJackson3Codec(mapper) is another format again: it takes the mapper as it is,
// and one as it comes writes what [TypedJsonJackson3] does.
//
// Bytes behind the value are refused, and Java reads at most 500 containers within
// each other, wrapper arrays included.
func JsonJackson3(opts ...Option) codecs.Codec {
	return databind.New(format(Name3), databind.Rules{Jackson: 3, Types: true, First: option.Release{4, 1, 0}}, opts...)
}

// TypedJsonJackson3 returns the codec of Redisson's TypedJsonJackson3Codec (4.1.0 and
// later), canonical name "typedjsonjackson3". Its mapper is Jackson 3 as it comes: no
// classes as in [TypedJsonJackson], values as in [JsonJackson3], and null fields and
// entries are written: "note":null.
func TypedJsonJackson3(opts ...Option) codecs.Codec { //nolint:staticcheck // as Java spells it
	return databind.New(format(NameTyped3), databind.Rules{Jackson: 3, First: option.Release{4, 1, 0}}, opts...)
}
