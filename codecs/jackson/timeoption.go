package jackson

import "github.com/duequeue/duequeue/codecs/internal/databind"

// JavaTime says that the Java side gave its codec a mapper with JavaTimeModule, whose
// other settings are as they come:
//
//	new JsonJacksonCodec(new ObjectMapper().registerModule(new JavaTimeModule()))
//
// Values of java.time are then arrays of numbers, seconds with a fraction, or texts:
// LocalDate [2024,1,2], LocalDateTime [2024,1,2,3,4,5], Instant 1700000000.123000000,
// Duration 5.000000000, Period "P1Y". Without a module Java refuses to write them. All
// forms are read into Go types without the option. Codecs of Jackson 3 need none, and
// refuse it.
//
// Jackson 2.9 (Redisson up to 3.11.5) misspells fractions of negative seconds:
// -2.000000100 for -1.9999999. They are written right, and read as written.
func JavaTime() Option { return databind.JavaTime() }

// DatesAsText says the same as [JavaTime] of a mapper without WRITE_DATES_AS_TIMESTAMPS:
//
//	mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
//
// Values of java.time are then ISO 8601 texts, Duration excepted, and so are dates:
// "2023-11-14T22:13:20.123+00:00", with Redisson up to 3.13.2 "+0000". A java.sql.Date
// is "2023-11-14"; Java writes it in the time zone of its machine, Go in UTC.
func DatesAsText() Option { return databind.DatesAsText() }

// EnumTexts says what the toString of constants of an enum gives where that is
// not their names: text by name. The codecs of Jackson 3 write and read the texts,
// as keys of maps too; those of Jackson 2 have names and refuse the option.
// Constants that are not named have their names as texts. Two constants with
// one text are a mistake.
func EnumTexts(class string, texts map[string]string) Option {
	return databind.EnumTexts(class, texts)
}
