// Package jackson reads and writes the JSON of Redisson's JsonJacksonCodec, the
// default codec up to Redisson 3.9 and a common choice since, of its relatives, and plain
// JSON.
//
// # Which codec
//
// The Java side decides. What one codec wrote, another may refuse or misread:
//
//	Java                                          Go
//	new JsonJacksonCodec()                        jackson.JsonJackson(jackson.Since("4.7.0"))
//	new TypedJsonJacksonCodec(Order.class)        jackson.TypedJsonJackson()
//	new TypedJsonJacksonCodec(Object.class, om)   jackson.TypedJsonJackson(jackson.Mapper{…})
//	new JsonJackson3Codec()                       jackson.JsonJackson3()
//	new TypedJsonJackson3Codec(Order.class)       jackson.TypedJsonJackson3()
//	StringCodec, and JSON made by the service     jackson.JSON(jackson.Mapper{…})
//	new JsonJacksonCodec(mapper), the mapper      jackson.JsonJackson(jackson.Mapper{
//	  having JavaTimeModule                         Dates: jackson.Timestamps}), or DateTexts
//
// Where both sides are free, [TypedJsonJackson] is the easiest: no class is on the wire,
// a Go struct needs none, and Java binds by the class that its codec was made with.
// What follows is about [JsonJackson]; the other constructors say what differs.
//
// # What is on the wire
//
// Jackson names the class of every value whose declared type does not fix it.
// A JSON object carries it as its property "@class"; anything else is in a
// wrapper array of two elements, ["java.lang.Long",5]. Strings, booleans,
// Integers and finite Doubles are bare. The root is declared as its own class:
// a Short is bare there and wrapped inside a map or list.
//
//	HashMap     {"@class":"java.util.HashMap","id":["java.lang.Long",5],"n":1}
//	ArrayList   ["java.util.ArrayList",["a",1]]
//
// # What is carried
//
// All values of the table in package java, at any depth, byte for byte as Redisson
// 3.8.1 to 4.7.0 writes them: null, texts, booleans, all numbers, dates, enums, arrays,
// maps, lists and sets of any class, UUID, Locale, Class, Pattern, Currency, URI, URL,
// File, TimeZone, InetAddress (java.Text), the Atomic classes, beans as [*java.Object].
// What has no value there is a [Scalar]. Without a Go type, what Java wrote is written
// again as it was, with three exceptions: a null that an AtomicReference in a map held,
// a short, float or the like that one held at the root, and doubles that a JDK before 19
// prints with more digits than are needed. Not carried are the
// bits of a BitSet, which Jackson does not write, and the zone of a Calendar.
//
// Keys of maps are texts on the wire, whatever they are in Java. Into a Go map they are
// read as its key type: map[int64]T, map[time.Time]T.
//
// # Beans
//
// A struct that names its Java class is that bean, in both directions:
//
//	type Order struct {
//		ID    int64  `java:"id"`                // long: 5
//		Owner *int64 `java:"owner"`             // java.lang.Long: ["java.lang.Long",5]
//		Kind  State  `java:"kind"`              // an enum: "NEW"
//	}
//	func (Order) JavaClass() string { return "demo.Order" }
//
// The declared types decide the bytes, and Java rejects the other form; they are
// inferred from the Go types as package java describes, or come from the tags. Fields
// come in the order of their names, also those of records (with Jackson 3 in the order
// of their components), null fields vanish. Final classes and records are written
// without their class where they are declared. UUID fields need [Since], the release of
// the Java side. Properties that the struct does not have are ignored, among them those of getters
// without a field, which Java writes and ignores; a property that is missing leaves its
// field zero. So a name that is spelled wrong is no error: "duequeue javadesc -check"
// finds it. Names come from java tags alone; json tags count for [JSON] only, and a field
// whose json tag says another name than it would get is an error of Bind until it has a java
// tag.
//
// A payload that names another class than the struct's is an error, also where it is that of
// a subclass: Jackson does not say so. In a field the class is not compared: a subclass is read
// by the fields it shares with the field's type.
//
// An int64 is a long, an *int64 a java.lang.Long, a []int64 a List of them; other types
// comes from the tag: java:"ids,long[]". A field whose type leaves that open, such as
// java.Enum or *java.Object, needs a tag, or Bind refuses it.
//
// # Annotations
//
// A tag says what Jackson's annotations say of a field. Codecs without such annotations ignore
// it, as Java does, and "duequeue javadesc" writes it from a jar:
//
//	@JsonProperty("order_id"), @JsonNaming                       java:"orderId,json=order_id"
//	@JsonIgnore, @JsonIgnoreProperties                           java:"secret,json=-"
//	@JsonSerialize(using = ToStringSerializer.class) Long        java:"id,text"
//	@JsonFormat(shape = STRING) of numbers, dates, java.time     java:"at,text"
//	@JsonFormat(shape = NUMBER) of dates and enums               java:"at,number"
//	@JsonFormat(pattern = "yyyy-MM-dd", timezone = "GMT+8")      java:"at,zone=GMT+8,format=yyyy-MM-dd"
//	@JsonInclude(NON_NULL), (NON_EMPTY), (ALWAYS)                java:"a,omitnull", "a,omitempty", "a,always"
//	@JsonAlias({"a", "b"})                                       java:"name,alias=a|b"
//
// The declaration of a class says what they say of it:
//
//	@JsonValue, @JsonProperty on constants      enum demo.State {OPEN=10, PAID="p"}, or [EnumTexts]
//	@JsonTypeInfo(use = NAME, property = "type")
//	  with @JsonSubTypes or @JsonTypeName       demo.Card extends demo.Payment json type=card
//	  include = EXISTING_PROPERTY               … json existing type=card
//	  include = WRAPPER_OBJECT, WRAPPER_ARRAY   … json {card}, … json [card]
//	@JsonTypeInfo(use = CLASS)                  … json @class=demo.Card
//	@JsonTypeInfo(use = MINIMAL_CLASS)          … json @c=.Card
//	@JsonPropertyOrder, @JsonProperty(index)    demo.Page order page,size
//
// Where a type that has it is declared, values name their class so: fields, what lists and maps
// hold, and with codecs that name no classes the payload. As elements of Object they name it as the codec
// does. An interface with the annotation is named in the declaration behind implements. Not carried are
// EXTERNAL_PROPERTY, @JsonTypeInfo on a field, and @JsonUnwrapped: javadesc says so in a comment. What
// @JsonAutoDetect hides has json=- in its tag, and what it shows by a getter the name of that.
//
// The format is the last flag, since it takes the rest of the tag. It is for java.util.Date,
// Timestamp and Calendar, for LocalDateTime, LocalDate and LocalTime, and for Instant,
// OffsetDateTime and ZonedDateTime. A Date without a zone is in that of the mapper, which is UTC
// where nothing sets it; an Instant needs one. On lists and maps the flags are about what these
// hold. A BigDecimal with the flag text is its toString. Ion ignores the flags on a Date, with
// Jackson 3 on enums too.
//
// Fields are read as Java reads them: numbers and dates in their other forms too, an empty text
// as null. A flag that makes no sense for its field is a [java.TagError], and a letter of a
// pattern that is not carried a [PatternError], both when the type is bound.
//
// # Fields of several classes
//
// A field that holds one of several classes is an interface in Go. The classes are
// registered where the queue is declared, or in codecs.BindOptions:
//
//	type Drawing struct { Main Shape `java:"main"` }
//
//	registry.Define[Drawing]("DRAWINGS", "to be rendered", registry.Codec(jackson.JsonJackson()),
//		registry.JavaClass[Circle]("demo.Circle"), registry.JavaClass[*Square]("demo.Square"))
//
//	codecs.BindOptions{Classes: map[reflect.Type]string{
//		reflect.TypeFor[Circle](): "demo.Circle", reflect.TypeFor[*Square](): "demo.Square"}}
//
// {"@class":"demo.Circle",…} is a Circle there, and is written with its class. The same
// holds for any, in lists and maps, and where the interface is the whole payload. A class
// that is not registered is an error for an interface with methods, and a
// [*java.Object] for any; a struct that names a Java class and is not registered cannot be
// written under any, and one that names none is a java.util.HashMap.
//
// # Throwables
//
// Redisson's mapper numbers Throwables, and writes one that occurs again as its number.
// A struct that represents one has a field java:"@id" of an integer type; zero gets the
// next number. One Throwable is one pointer in Go, and two with one number
// are an error. Without a Go type they are objects with "@id", and numbers. With Jackson
// 3 Throwables have no number: leave the field away.
//
// # Dates and java.time
//
// A time.Time is a java.util.Date in milliseconds, with Jackson 3 a text; java.time has
// the types of package java, or tags such as java:"at,java.time.Instant". Jackson 2
// carries java.time only with a mapper of the user's, see [Mapper]:
//
//	              Timestamps               DateTexts                            Jackson 3
//	Date          1700000000123            "2023-11-14T22:13:20.123+00:00"      "2023-11-14T22:13:20.123Z"
//	LocalDate     [2024,1,2]               "2024-01-02"                         "2024-01-02"
//	LocalTime     [3,4]                    "03:04:00"                           "03:04:00"
//	LocalDateTime [2024,1,2,3,4,5]         "2024-01-02T03:04:05"                "2024-01-02T03:04:05"
//	Instant       1700000000.123000000     "2023-11-14T22:13:20.123Z"           "2023-11-14T22:13:20.123Z"
//	OffsetDateTime, ZonedDateTime
//	              1704157445.600000000     "2024-01-02T03:04:05.6+02:00"        "2024-01-02T03:04:05.6+02:00"
//	OffsetTime    [3,4,"-03:00"]           "03:04-03:00"                        "03:04-03:00"
//	Duration      5.250000000              5.250000000                          "PT5.25S"
//	Period        "P1Y2M3D"                "P1Y2M3D"                            "P1Y2M3D"
//	Year          2024                     "2024"                               2024
//	YearMonth     [2024,2]                 "2024-02"                            "2024-02"
//	MonthDay      "--02-29"                "--02-29"                            "--02-29"
//	Month         "MARCH"                  "MARCH"                              3
//
// The zone id of a ZonedDateTime is on none of these wires. Into Go types all forms are
// read, whatever the options, and so are the beans that Jackson before 2.12 made of
// java.time.
//
// # As Java reads it
//
// These rules are Jackson's own and were run against the jars: a leading byte
// order mark and what follows the first value are ignored; "@class" may come
// anywhere in its object; of repeated keys the last one counts, in the place of
// the first; 12345678901 without a wrapper is a Long, 1e400 an infinite Double.
// An array of two that begins with a string is a wrapper wherever a class that is not
// final is declared, and inside the JDK's maps and lists, whatever the name looks like;
// around an array at the root, too. In fields without a description the name must look
// like one, a.b.Color, or be that of a described class: String[]{"a.b.Color","x"} in such
// a field is taken for a Color. Only CBOR tells the two apart.
//
// Stricter than Java are: text is UTF-8 (Java also detects UTF-16 and UTF-32), a
// number has at most 1,000 characters (Java from Jackson 2.15 on), and a
// fraction is no Long. A map key with a lone surrogate is read and written, though
// Jackson from 2.21 on refuses to read one. More lenient is: an array or object without
// its class is read at the root and inside beans, where Java writes such values but
// cannot always read them; and where Java insists on 5 or on ["java.lang.Long",5], or on
// one form of a UUID, a Go field takes both.
package jackson
