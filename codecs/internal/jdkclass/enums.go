package jdkclass

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// Enums are the enums of the JDK that payloads hold, with their constants in
// order, the same in JDK 11 to 25. None of them has constants with bodies there.
var Enums = func() map[string]*java.Class {
	out := map[string]*java.Class{}
	for name, constants := range enums {
		out[name] = &java.Class{Name: name, Kind: java.KindEnum, Final: true}
		for constant := range strings.FieldsSeq(constants) {
			out[name].Constants = append(out[name].Constants, java.Constant{Name: constant})
		}
	}
	return out
}()

var enums = map[string]string{
	"java.time.DayOfWeek":              "MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY",
	"java.time.Month":                  "JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER",
	"java.util.concurrent.TimeUnit":    "NANOSECONDS MICROSECONDS MILLISECONDS SECONDS MINUTES HOURS DAYS",
	"java.math.RoundingMode":           "UP DOWN CEILING FLOOR HALF_UP HALF_DOWN HALF_EVEN UNNECESSARY",
	"java.time.format.TextStyle":       "FULL FULL_STANDALONE SHORT SHORT_STANDALONE NARROW NARROW_STANDALONE",
	"java.time.format.FormatStyle":     "FULL LONG MEDIUM SHORT",
	"java.time.chrono.IsoEra":          "BCE CE",
	"java.lang.Thread$State":           "NEW RUNNABLE BLOCKED WAITING TIMED_WAITING TERMINATED",
	"java.net.Proxy$Type":              "DIRECT HTTP SOCKS",
	"java.util.Locale$Category":        "DISPLAY FORMAT",
	"java.nio.file.StandardOpenOption": "READ WRITE APPEND TRUNCATE_EXISTING CREATE CREATE_NEW DELETE_ON_CLOSE SPARSE SYNC DSYNC",
	"java.time.temporal.ChronoUnit": "NANOS MICROS MILLIS SECONDS MINUTES HOURS HALF_DAYS DAYS WEEKS MONTHS YEARS DECADES " +
		"CENTURIES MILLENNIA ERAS FOREVER",
	"java.time.temporal.ChronoField": "NANO_OF_SECOND NANO_OF_DAY MICRO_OF_SECOND MICRO_OF_DAY MILLI_OF_SECOND MILLI_OF_DAY " +
		"SECOND_OF_MINUTE SECOND_OF_DAY MINUTE_OF_HOUR MINUTE_OF_DAY HOUR_OF_AMPM CLOCK_HOUR_OF_AMPM HOUR_OF_DAY " +
		"CLOCK_HOUR_OF_DAY AMPM_OF_DAY DAY_OF_WEEK ALIGNED_DAY_OF_WEEK_IN_MONTH ALIGNED_DAY_OF_WEEK_IN_YEAR DAY_OF_MONTH " +
		"DAY_OF_YEAR EPOCH_DAY ALIGNED_WEEK_OF_MONTH ALIGNED_WEEK_OF_YEAR MONTH_OF_YEAR PROLEPTIC_MONTH YEAR_OF_ERA YEAR " +
		"ERA INSTANT_SECONDS OFFSET_SECONDS",
	"java.util.Comparators$NaturalOrderComparator": "INSTANCE",
}
