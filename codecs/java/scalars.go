package java

// UUID is a java.util.UUID, most significant byte first.
type UUID [16]byte

// Text is a value that is a text and no String. Class tells which one:
// java.lang.StringBuilder, java.util.Currency, java.net.URI, java.net.URL,
// java.time.ZoneRegion, sun.nio.cs.UTF_8, sun.util.calendar.ZoneInfo and others.
// Nothing is looked up or opened to check the text.
type Text struct {
	Class string
	Value string
}

// ClassRef is a java.lang.Class: the name of a class as Class.getName gives it,
// or of a primitive ("int").
type ClassRef string

// Locale is a java.util.Locale. Kryo carries neither Script nor Extensions.
type Locale struct {
	Language, Country, Variant, Script, Extensions string
}

// Pattern is a java.util.regex.Pattern. It is never compiled.
type Pattern struct {
	Regex string
	Flags int32
}

// BitSet is a java.util.BitSet: bit i is bit i%64 of word i/64. Its value form
// is *BitSet.
type BitSet struct {
	Words []uint64
}

// Calendar is a java.util.Calendar; an empty Class means
// java.util.GregorianCalendar.
type Calendar struct {
	Class       string
	Zone        string // id of the time zone
	Millis      int64  // since 1970 UTC
	Lenient     bool
	FirstDay    int32 // first day of the week, 1 is Sunday
	MinimalDays int32 // in the first week of a year
	Cutover     int64 // from the Julian to the Gregorian calendar, in ms since 1970
}

// ZoneOffset is a java.time.ZoneOffset in seconds, -64800…64800.
type ZoneOffset int32

// OffsetTime is a java.time.OffsetTime.
type OffsetTime struct {
	Time   LocalTime
	Offset ZoneOffset
}

// OffsetDateTime is a java.time.OffsetDateTime.
type OffsetDateTime struct {
	Date   LocalDate
	Time   LocalTime
	Offset ZoneOffset
}

// ZonedDateTime is a java.time.ZonedDateTime. Kryo does not carry the offset,
// which only matters where a clock is turned back.
type ZonedDateTime struct {
	Date      LocalDate
	Time      LocalTime
	Zone      string // zone id, or an offset such as "+08:00" or "Z"
	Offset    ZoneOffset
	HasOffset bool // Offset is known
}

// Year is a java.time.Year.
type Year int32

// YearMonth is a java.time.YearMonth; months count from 1.
type YearMonth struct {
	Year  int32
	Month uint8
}

// MonthDay is a java.time.MonthDay; both count from 1.
type MonthDay struct {
	Month, Day uint8
}

// Period is a java.time.Period.
type Period struct {
	Years, Months, Days int32
}
