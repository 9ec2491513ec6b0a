package databind

import (
	"errors"

	"github.com/duequeue/duequeue/codecs/internal/option"
)

// JavaTime says that the Java side gave its codec a mapper with JavaTimeModule, whose
// other settings are as they come:
//
//	new JsonJacksonCodec(new ObjectMapper().registerModule(new JavaTimeModule()))
//
// Values of java.time are then arrays of numbers, seconds with a fraction, or texts:
// LocalDate [2024,1,2], LocalDateTime [2024,1,2,3,4,5], Instant 1700000000.123000000,
// Duration 5.000000000, Period "P1Y". Without a module Java refuses to write them. All forms are
// read into Go types without the option. Codecs of Jackson 3 need none, and refuse it.
func JavaTime() Option { return times("jackson.JavaTime()", timesNumbers) }

// DatesAsText says the same as [JavaTime] of a mapper without WRITE_DATES_AS_TIMESTAMPS:
//
//	mapper.disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
//
// Values of java.time are then ISO 8601 texts, Duration excepted, and so are dates:
// "2023-11-14T22:13:20.123+00:00", with Redisson up to 3.13.2 "+0000". A java.sql.Date
// is "2023-11-14"; Java writes it in the time zone of its machine, Go in UTC.
func DatesAsText() Option { return times("jackson.DatesAsText()", timesText) }

func times(text string, form timesForm) Option {
	return classed(option.New(text, func(s *settings) error {
		switch {
		case s.rules.Jackson != 2:
			return errors.New("codecs of Jackson 3 carry java.time as text without an option")
		case s.rules.times != timesNone && s.rules.times != form:
			return errors.New("JavaTime and DatesAsText exclude each other")
		}
		s.rules.times = form
		return nil
	}))
}
