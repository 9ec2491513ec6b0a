package demo;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A bean of java.time. */
public class Times {
    public LocalDate date = LocalDate.of(2024, 1, 2);
    public LocalTime time = LocalTime.of(3, 4);
    public LocalDateTime dateTime = LocalDateTime.of(2024, 1, 2, 3, 4, 5, 600_000_000);
    public Instant instant = Instant.ofEpochMilli(1700000000123L);
    public Duration duration = Duration.ofMillis(5250);
    public Period period = Period.of(1, 2, 3);
    public OffsetDateTime offset = OffsetDateTime.of(dateTime, ZoneOffset.ofHours(2));
    public OffsetTime offsetTime = OffsetTime.of(time, ZoneOffset.ofHours(-3));
    public ZonedDateTime zoned = ZonedDateTime.of(dateTime, ZoneId.of("Europe/Berlin"));
    public Year year = Year.of(2024);
    public YearMonth yearMonth = YearMonth.of(2024, 2);
    public MonthDay monthDay = MonthDay.of(2, 29);
    public ZoneId zone = ZoneId.of("Europe/Berlin");
    public ZoneOffset zoneOffset = ZoneOffset.ofHours(2);
    public DayOfWeek day = DayOfWeek.MONDAY;
    public Month month = Month.MARCH;
    public Object any = date;
    public Object anyInstant = instant;
    public Object anyZoned = zoned;
    public List<LocalDate> list = new ArrayList<>(Arrays.asList(date));
    public Map<LocalDate, Instant> map = new TreeMap<>(Map.of(date, instant));

    /** Optional is of Jdk8Module, so it is a bean of its own. */
    public static class Maybe {
        public Optional<String> none = Optional.empty();
        public Optional<Long> some = Optional.of(5L);
        public Object any = Optional.of(6L);
    }
}
