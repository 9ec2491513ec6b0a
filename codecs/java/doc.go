// Package java holds what every Java format shares: the values Java programs
// put into a queue, the classes behind them, and what Go types are for them. It
// knows no bytes. Package [github.com/duequeue/duequeue/codecs/view] shows values.
//
// # Values
//
// What Java wrote comes back as these Go values. They keep class names and
// order, so that encoding them again gives the bytes Java would write.
//
//	Java                                   value form
//	null                                   nil
//	String                                 string (UTF-8; a lone surrogate as its three WTF-8 bytes)
//	Boolean                                bool
//	Byte Short Integer Long                int8 int16 int32 int64
//	Float Double Character                 float32 float64 Char
//	BigInteger, BigDecimal                 *big.Int, BigDecimal
//	java.util.Date and java.sql's          Date
//	java.time.*                            Instant, LocalDate, LocalTime, LocalDateTime, Duration, Period,
//	                                       OffsetTime, OffsetDateTime, ZonedDateTime, ZoneOffset, Year, YearMonth, MonthDay
//	DayOfWeek, Month, user enums           Enum
//	UUID, Locale, Pattern, Class           UUID, Locale, Pattern, ClassRef
//	BitSet, Calendar                       *BitSet, *Calendar
//	StringBuilder, StringBuffer, Currency,
//	TimeZone, Charset, URL, URI, ZoneRegion  Text
//	boolean[] byte[] short[] int[] long[]  []bool []byte []int16 []int32 []int64
//	float[] double[] char[]                []float32 []float64 []Char
//	other arrays, lists, sets, queues      *List
//	maps                                   *Map
//	Optional…, Atomic…                     *Object with the field "value", or none when it is empty
//	all other classes                      *Object
//
// One object of the payload is one pointer here: where a format has references,
// shared and cyclic values come back as the same *Object, *List or *Map. [Plain] and
// package codecs/view are made for that.
//
// # Go types
//
// A codec compiles a Go type once, when it is bound, and carries its values both ways.
// Structs name their Java fields with the struct tag
//
//	java:"name[,type expression][,flags]"
//
// The flags are for Jackson's codecs: see [FieldFormat]. This is the table for all codecs:
//
//	Java type                       Go type                        Java type when encoding
//	boolean, Boolean                bool, *bool                    Boolean
//	byte, Byte                      int8                           Byte
//	short, Short                    int16, uint8                   Short
//	int, Integer                    int, int32, uint16, uint       Integer; an error where it does not fit
//	long, Long                      int64, uint32, uint64          Long
//	float, Float / double, Double   float32 / float64              Float / Double
//	char, Character                 Char                           Character
//	any number                      any integer or float           what the tag says: java:"n,java.lang.Long"
//	BigInteger, BigDecimal          *big.Int, BigDecimal           the same; string with the class in the tag
//	BigDecimal                      a decimal library's type       BigDecimal, see below
//	String                          string                         String
//	StringBuilder, StringBuffer, Currency, TimeZone,
//	ZoneId, Charset, URI, URL, UUID, Class, Locale, Pattern
//	                                string with the class in the tag  that class
//	UUID                            UUID, any [16]byte type        UUID
//	Date                            time.Time                      Date; the zero time is null
//	java.sql.Date/Time/Timestamp, Instant, OffsetDateTime
//	                                time.Time with the class in the tag  that class
//	LocalDateTime                   time.Time with class and zone in the tag  java:"at,java.time.LocalDateTime,zone=Europe/Berlin"
//	Duration                        time.Duration with the class in the tag; without, it is a Long of nanoseconds
//	other dates and times           the types of this package      the same; the zero LocalDate and the like is null
//	enum                            string or integer type with an enum declaration  the enum; "" is null
//	byte[]                          []byte                         byte[]
//	other arrays of primitives      slices with the array in the tag  java:"n,int[]" on []int, []int32 …
//	arrays of objects               slices with the array in the tag  java:"n,java.lang.String[]"
//	List, Collection, Iterable      []T                            ArrayList
//	Set, SortedSet, Queue, Deque, BlockingQueue
//	                                []T with the type in the tag   HashSet, TreeSet, LinkedList, ArrayDeque, LinkedBlockingQueue
//	LinkedList, Vector, Stack, ArrayDeque, PriorityQueue, HashSet, LinkedHashSet, TreeSet,
//	CopyOnWriteArrayList/Set, ConcurrentLinkedQueue/Deque, LinkedBlockingQueue/Deque,
//	PriorityBlockingQueue, ConcurrentSkipListSet, EnumSet
//	                                []T with the class in the tag  that class
//	Map                             map[K]V                        HashMap
//	SortedMap, ConcurrentMap        map[K]V with the type in the tag  TreeMap, ConcurrentHashMap
//	LinkedHashMap, TreeMap, Hashtable, Properties, ConcurrentHashMap, ConcurrentSkipListMap,
//	EnumMap, WeakHashMap, IdentityHashMap
//	                                map[K]V with the class in the tag  that class
//	Map                             struct without a Java class    HashMap
//	bean, record                    struct with a Java class       that class
//	its subclass of a collection    slice or map type with a class that extends a collection  that class
//	Optional, Atomic classes        any of these with the class in the tag  that class; a nil pointer is an empty Optional
//	null                            nil pointer, slice, map; any   null
//	any value                       any                            what it is
//
// Where Go's zero value is a value in Java too (0, "", BigDecimal{}, a UUID of zeros),
// null becomes it in struct fields, and encoding writes that value: use a pointer to
// tell the two apart.
//
// A decimal library's type is a struct with UnmarshalText. With the methods Coefficient
// and Exponent, as that of shopspring/decimal, it needs no tag and keeps the scale: 12.30
// stays 12.30. All others have MarshalText and name java.math.BigDecimal in the tag; what
// their text leaves out is lost. A LocalDateTime has no zone, so the tag names it: one of
// the time zone database (of the machine, or of the package time/tzdata), or an offset
// such as +08:00.
//
// Lists, sets and queues of any class go into a slice, maps of any class into a
// map: the tag only decides what is written. Go maps have no order, and sets are
// given as slices: both become what Java would iterate after they were filled in
// ascending order, see [HashOrder], the order marks of ConcurrentHashMap and
// Hashtable, and compareTo for sorted classes. The constants of an enum have another hash
// code in each JVM, so that Java writes hashed maps and sets of them in any order, and reads
// them in any: here they are in the order of their declaration.
//
// A Go map in a field that is declared as Map is written as HashMap, a slice in one that is
// declared as List as ArrayList, whatever class was read: Java reads these, and a program that
// minds takes a [*Map] or [*List], which keep the class. So do java:"…,com.alibaba.fastjson.JSONObject"
// and other classes of libraries in the tag of an any, [*Map] or [*List]. A map or list of the JDK
// there is an *codecs.EncodeError, since Java would lose the message. An array as the whole
// payload is a [*List] or any to stay one; as a slice it is written as ArrayList.
//
// # From Java to Go
//
// A Go type takes the Java values it can hold without loss; anything else is a
// *codecs.DecodeError with its path.
//
//   - As the whole payload a struct with a Java class takes beans of that class alone, of
//     subclasses whose payload names their superclass, and maps that have one of its fields.
//   - Integers take Byte, Short, Integer, Long and BigInteger that fit. Floats
//     take Float, Double and integers that they hold exactly. bool, []byte and the
//     types of this package take their own kind. string takes String and [Text],
//     and what its tag declares. time.Time takes java.util.Date (and java.sql's, and
//     classes that extend one, such as hutool's DateTime: it is written as the class in the
//     tag; any with java.util.Date in the tag keeps the class), Instant and OffsetDateTime; time.Duration takes Duration, and numbers.
//     [16]byte types take UUID, also as text.
//   - Slices take lists, sets and arrays of any class, of primitives too; maps take
//     maps of any class. Structs take maps with String keys, and beans, by the names
//     of their fields; names the struct does not have are ignored, fields the payload
//     does not have stay zero. Where a bean has one name at several levels of its
//     inheritance, the level decides, else the first one is that of the subclass.
//   - Go enums take constants of their class, by name or ordinal; one that the
//     declaration does not know is an error.
//   - Optional and the Atomic classes give what they hold; an empty Optional is null.
//   - Null becomes nil in pointers, maps, slices and interfaces, and the zero
//     time.Time. In a struct field that cannot be nil it leaves the zero value, as if
//     it were missing; elsewhere, as in the elements of a list, it is an error, so use a
//     pointer ("duequeue javadesc -nulls" writes them): a zero would be another message when
//     it is encoded. Of a struct that is Result[T] in Java, Result[*T] keeps data that is null.
//   - The empty interface takes everything: as the whole payload the Java value as
//     it is, inside Go maps, slices and structs the plain form of [Plain].
//
// One object of the payload that occurs several times becomes one Go pointer, slice
// or map, for each Go type it goes into: shared pointers stay shared, and cycles
// closed. Where a struct is held by value it is copied.
//
// # From Go to Java
//
// The table says what each Go type becomes. The zero time.Time and a nil pointer, map, slice or
// interface become null. A type variable of the class, and a wildcard without bound, choose no
// other class. Inside an interface, the slices that carry arrays of primitives ([]int32,
// []float64 and so on) become those arrays, everywhere else lists.
//
// A struct with a Java class becomes an [*Object] with its fields in the order of
// declaration. In formats with references, one Go pointer, map or slice becomes one Java
// object wherever it occurs, and cycles are kept. Two slices are one when they have the same
// elements in memory, and some. In other formats it becomes as many, and a cycle is an error.
//
// # Classes
//
// A Go type gets a Java class by a method JavaClass() string, or by
// codecs.BindOptions for types of other modules. It says the name or, in Java's own
// words, the declaration ([ParseClass]):
//
//	func (Order) JavaClass() string     { return "demo.Order extends demo.Entity serial 42" }
//	func (Result[T]) JavaClass() string { return "demo.Result<T>" }
//	func (Color) JavaClass() string     { return "enum demo.Color {RED, GREEN}" }
//
// An embedded struct with a class is the superclass. Two words matter to java.io and
// River alone: "demo.Base serial none" is a class that is not Serializable, which as
// a superclass is no part of their payloads, and "custom demo.Writer serial 42" one
// that writes itself (writeObject and the like), which they only read. Fields whose declared type is a
// type variable say so in the tag: java:"data,T". Package gotypes gives all classes a Go
// type names, with the declared types that Go types imply; [Classes]
// is the set that codecs look classes up in. Where a class changes while messages of
// both kinds are under way, a second Go struct of the same class describes the other
// one:
//
//	codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[OldOrder](): "demo.Order"}}
//
// Codecs that carry no field names try them in order; what they read goes into the
// bound type by the names of the fields.
package java
