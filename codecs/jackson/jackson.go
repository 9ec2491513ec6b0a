package jackson

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Name is the canonical name of [JsonJackson].
const Name = "jsonjackson"

// JsonJackson returns the codec of Redisson's JsonJacksonCodec, canonical name
// "jsonjackson".
//
// Without a Go type, arrays and objects that name no class come back as *java.List of
// class [ClassNone] and *java.Object without a class. Plain Go values are written as
// package java lowers them: map[string]any as java.util.HashMap, []any as
// java.util.ArrayList, int64 as java.lang.Long.
func JsonJackson(opts ...Option) codecs.Codec {
	return databind.New(format(Name), databind.Rules{Jackson: 2, Types: true}, opts...)
}

func format(name string) databind.Format {
	return databind.Format{Name: name, Tokenize: tokenize, Generator: newGenerator}
}

// ClassNone is the Class of a [java.List] that represents a JSON array whose
// class is not named: a field of type int[] in a bean, or the root that Java
// wrote for an int[] or a List.of. It is written without a class again.
const ClassNone = databind.ClassNone

// Scalar returns the value of a Java class that package java has no Go value for and
// that JSON shows as a string, number or boolean: a UUID, a URI, an AtomicLong.
// It is an object with one field without a name, and written as it was read:
// ["java.util.UUID","…"].
//
// Decoding into a Go type yields the bare value instead, so that a UUID can be
// read into a string.
func Scalar(class string, value any) *java.Object { return databind.Scalar(class, value) }

// ScalarValue returns the value that [Scalar] was given, and whether o is one.
func ScalarValue(o *java.Object) (any, bool) { return databind.ScalarValue(o) }

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
//	UUID               ["java.util.UUID","…"] everywhere, with 4.1.0 (Since) as with Jackson 2
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

// Option changes how a codec of Jackson's family works, whatever bytes it writes.
// Options are checked together when a codec is made; Bind, Decode and Encode report
// their mistakes.
type Option = databind.Option

// Limits sets the limits of decoding; zero fields keep their defaults. Encoding
// keeps Bytes and Depth. A Depth that is negative or above 10,000 is a mistake.
//
// Elements counts the elements of lists and the members of objects, Depth lists,
// maps and beans within each other: the wrapper arrays that name classes are neither.
func Limits(l codecs.Limits) Option { return databind.Limits(l) }

// Since names the release of Redisson that the Java services of the queue run, the
// oldest where they differ, for example "4.7.0". What is written is what that release
// writes and reads; reading takes what every release wrote, as far as the bytes tell,
// and where they do not, the release decides. A release without the codec is a mistake.
//
//	up to 3.11.5     Jackson 2.9: NaN inside a map or list is "NaN", which Java reads back as a String
//	3.11.6 to 4.1.x  NaN is ["java.lang.Double","NaN"] there; a UUID that is the root or a field
//	                 declared as UUID is its text
//	4.2.0 and later  a UUID is ["java.util.UUID","…"] in every place, and Java reads only its own form
//
// Few payloads hold what else differs: Throwables, and map keys that are dates. Without
// the option the codecs of Jackson 2 write what 4.1.0 does, which is right for later
// releases too where no UUID is declared; those of Jackson 3 what the newest release does.
func Since(release string) Option { return databind.Since(release) }

// Classes describes classes of the user for Decode and Encode without a Go type:
// fields are then read as they are declared, and written as Java writes the declared
// type. Without a description objects keep the spelling in which they were
// read. The sets of several such options add up. Of several descriptions of one class
// the first one counts; nil is an empty set. Bind describes the classes of a Go type
// before them.
func Classes(sets ...*java.Classes) Option { return databind.Classes(sets...) }

// Mapper says how the ObjectMapper of a Java service is configured that makes its codec by
//
//	new TypedJsonJacksonCodec(Object.class, mapper) // or of another class
//
// It is an [Option]; Typing is for [TypedJsonJackson] alone. The name of the codec has its text behind a plus:
// "typedjsonjackson+typing=NON_FINAL". The zero value is a mapper without default typing.
//
// Its patterns of dates are for all codecs of Jackson 2. Java's LocalDateTimeSerializer and its
// kin take a DateTimeFormatter, setDateFormat a SimpleDateFormat in the mapper's time zone;
// names of months and days and AM and PM are English. Dates are read in ISO 8601 and as numbers
// too, and written from the year 1 to 9999.
//
//	mapper.setDateFormat(new SimpleDateFormat("yyyy-MM-dd HH:mm:ss"))    // Java
//	jackson.Mapper{DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "Asia/Shanghai"}   // that of the Java machine, or of setTimeZone
//	mapper.activateDefaultTyping(validator, NON_FINAL)                   // Java
//	jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal})   // Go
//
// With JavaLangObject, ObjectAndNonConcrete and NonConcreteAndArrays Java decides by the declared
// type of each field which values name their class, and by the class of the codec what the whole
// payload is. So tags say what Java's fields are declared as: java:"extra,java.util.Map<java.lang.String,java.lang.Object>",
// where HashMap would be written without its class. A declared class of the user's is an interface if
// a declaration says so, "demo.Circle implements demo.Shape", and concrete if its Go type is known and
// no other class extends it; Bind refuses one of which nothing tells.
//
// LongAsText, Naming, Enums, Optionals and Singles are for all codecs of Jackson 2, too. Tags of fields go before
// them, as annotations do.
//
//	new SimpleModule().addSerializer(Long.class, ToStringSerializer.instance).addSerializer(Long.TYPE, …)  // LongAsText: true
//	mapper.setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)                                  // Naming: jackson.SnakeCase
//	mapper.enable(SerializationFeature.WRITE_ENUMS_USING_INDEX)                                            // Enums: jackson.EnumOrdinals
//	mapper.registerModule(new Jdk8Module())                                                                // Optionals: true
//	mapper.enable(DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)                                     // Singles: jackson.SinglesRead
//	mapper.enable(SerializationFeature.WRITE_SINGLE_ELEM_ARRAYS_UNWRAPPED)                                 // Singles: jackson.SinglesBare
//
// Redisson sets what else it needs on each mapper that it is given: null properties are left
// out, whatever setSerializationInclusion was told, a BigDecimal is plain, fields are sorted by
// name, private fields are written, getters are not looked at (setVisibility), and unknown properties
// are ignored (FAIL_ON_UNKNOWN_PROPERTIES). Therefore no setting is for these. With a Typing a Long is 5 wherever it stands, and a struct
// needs a Java class, as with [JsonJackson].
type Mapper = databind.Mapper

// ParseMapper returns the mapper of a text as Java names the settings, for example
// "typing=NON_FINAL+as=PROPERTY+property=@type". Mapper.Text is the reverse.
func ParseMapper(text string) (Mapper, error) { return databind.ParseMapper(text) }

// Typing is what activateDefaultTyping was given: which values name their class.
type Typing = databind.Typing

// The typings that are carried.
const (
	// NoTyping is a mapper on which activateDefaultTyping was not called.
	NoTyping = databind.NoTyping
	// NonFinal names the class of whatever is declared as a type that is not final.
	NonFinal = databind.NonFinal
	// JavaLangObject names the class of what is declared as Object, and of what lists and maps
	// hold that are.
	JavaLangObject = databind.JavaLangObject
	// ObjectAndNonConcrete names it of what is declared as an interface or abstract class, too:
	// java.util.List, Number. The whole payload names none, so that Java's codec is of its class.
	ObjectAndNonConcrete = databind.ObjectAndNonConcrete
	// NonConcreteAndArrays names it of arrays of such types, too.
	NonConcreteAndArrays = databind.NonConcreteAndArrays
	// Everything names the class of all values but primitives and those that Jackson takes for
	// natural: texts, booleans, Integers and finite Doubles.
	Everything = databind.Everything
)

// As is where the class of a value stands.
type As = databind.As

// The places of a class.
const (
	// WrapperArray is ["demo.Order",{…}], which activateDefaultTyping takes where it is given
	// no place.
	WrapperArray = databind.WrapperArray
	// Property is {"@class":"demo.Order",…}, and a wrapper array around what is no object.
	Property = databind.Property
	// WrapperObject is {"demo.Order":{…}}, and {"java.lang.Long":5}.
	WrapperObject = databind.WrapperObject
)

// Dates is what a mapper was told of java.time and WRITE_DATES_AS_TIMESTAMPS.
type Dates = databind.Dates

// The ways in which a mapper writes dates.
const (
	// NoDates is a mapper without JavaTimeModule: Java refuses to write java.time. All forms
	// are read into Go types.
	NoDates = databind.NoDates
	// Timestamps is one with JavaTimeModule as it comes:
	//
	//	new JsonJacksonCodec(new ObjectMapper().registerModule(new JavaTimeModule()))
	//
	// Values of java.time are arrays of numbers, seconds with a fraction, or texts:
	// LocalDate [2024,1,2], Instant 1700000000.123000000, Period "P1Y". Jackson 2.9 (Redisson
	// up to 3.11.5) misspells fractions of negative seconds: -2.000000100 for -1.9999999.
	// They are written right, and read as written.
	Timestamps = databind.Timestamps
	// DateTexts is one without WRITE_DATES_AS_TIMESTAMPS, such as that of Spring Boot. Values
	// of java.time are ISO 8601 texts, Duration excepted, and so are dates:
	// "2023-11-14T22:13:20.123+00:00", with Redisson up to 3.13.2 "+0000". A java.sql.Date
	// is "2023-11-14"; Java writes it in the time zone of its machine, Go in UTC.
	DateTexts = databind.DateTexts
)

// Naming is the strategy of setPropertyNamingStrategy: how fields are called in JSON.
type Naming = databind.Naming

// The naming strategies, by their constants in PropertyNamingStrategies. A name that a tag or
// @JsonProperty gives stays as it is.
const (
	NoNaming       = databind.NoNaming       // orderId
	SnakeCase      = databind.SnakeCase      // order_id
	UpperSnakeCase = databind.UpperSnakeCase // ORDER_ID
	KebabCase      = databind.KebabCase      // order-id
	UpperCamelCase = databind.UpperCamelCase // OrderId
	LowerCase      = databind.LowerCase      // orderid
	LowerDotCase   = databind.LowerDotCase   // order.id
)

// Enums is how a mapper writes enums.
type Enums = databind.Enums

// The forms of enums.
const (
	// EnumNames is a mapper that writes their names.
	EnumNames = databind.EnumNames
	// EnumOrdinals is one with WRITE_ENUMS_USING_INDEX; keys of maps are names still.
	EnumOrdinals = databind.EnumOrdinals
)

// Singles is what a mapper does with lists and arrays of one element.
type Singles = databind.Singles

// The ways with single values.
const (
	SinglesInArrays = databind.SinglesInArrays // [5]
	SinglesRead     = databind.SinglesRead     // [5] is written, and 5 is read too
	SinglesBare     = databind.SinglesBare     // 5 is written where no class stands beside it, and both are read
)

// PatternError says which letter of a pattern in a [Mapper] is not carried.
type PatternError = databind.PatternError

// EnumTexts says what the constants of an enum are on the wire where that is not their
// names: text by name. They are written and read so, as keys of maps too. With the codecs of
// Jackson 3 that is their toString; with those of Jackson 2 what @JsonProperty on constants
// or an @JsonValue of type String says, or toString where the mapper has WRITE_ENUMS_USING_TO_STRING.
// Constants that are not named have their names as texts. Two constants with
// one text are a mistake.
func EnumTexts(class string, texts map[string]string) Option {
	return databind.EnumTexts(class, texts)
}
