import demo.Times;
import demo.Types;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Beans, java.time and Throwables. */
final class Beans {
    private Beans() {
    }

    static void addTo(Map<String, Callable<Object>> rows) {
        rows.put("POJO Order", Types.Order::new);
        rows.put("POJO Item", Types.Item::new);
        rows.put("POJO Special", Types.Special::new);
        rows.put("POJO Flat", Types.Flat::new);
        rows.put("final POJO", Types.Leaf::new);
        rows.put("empty POJO", Types.Empty::new);
        rows.put("generic POJO Long", () -> new Types.Gen<>(5L));
        rows.put("generic POJO Item", () -> new Types.Gen<>(new Types.Item()));
        rows.put("generics in fields", Types.GenHolder::new);
        rows.put("record", () -> new Types.Rec("b", 1, 2L, new Types.Item(), 3L));
        rows.put("record with nulls", () -> new Types.Rec(null, 1, null, null, null));
        rows.put("records in fields", Types.HasRec::new);
        rows.put("getters", Types.Getters::new);
        rows.put("names", Types.Names::new);
        rows.put("dates in fields", Types.Dates::new);
        rows.put("Node chain", () -> new Types.Node("a", new Types.Node("b", null)));
        rows.put("anonymous subclass", () -> new Types.Item() {
        });
        throwables(rows);
        times(rows);
    }

    private static void throwables(Map<String, Callable<Object>> rows) {
        rows.put("Throwable", () -> bare(new IllegalStateException("boom", bare(new RuntimeException("cause")))));
        rows.put("Throwable without message", () -> bare(new RuntimeException()));
        rows.put("Throwable with stack", () -> {
            Throwable t = new IllegalStateException("boom");
            t.setStackTrace(new StackTraceElement[] {
                new StackTraceElement("demo.A", "run", "A.java", 10), new StackTraceElement("demo.B", "nat", null, -2)});
            return t;
        });
        rows.put("Throwable suppressed", () -> {
            Throwable t = bare(new RuntimeException("m"));
            t.addSuppressed(bare(new IllegalArgumentException("s")));
            return t;
        });
        rows.put("custom Throwable", () -> bare(new Types.Failure("mm")));
        rows.put("same Throwable twice", () -> {
            Throwable t = bare(new Types.Failure("mm"));
            return new ArrayList<>(List.of(t, t));
        });
    }

    private static Throwable bare(Throwable t) {
        t.setStackTrace(new StackTraceElement[0]);
        return t;
    }

    private static void times(Map<String, Callable<Object>> rows) {
        LocalDateTime at = LocalDateTime.of(2024, 1, 2, 3, 4, 5);
        rows.put("LocalDate", at::toLocalDate);
        rows.put("LocalDate far", () -> LocalDate.of(12024, 1, 2));
        rows.put("LocalDate early", () -> LocalDate.of(-5, 1, 2));
        rows.put("LocalDate year 5", () -> LocalDate.of(5, 1, 2));
        for (int nano : new int[] {0, 1, 100, 1000, 1_000_000, 100_000_000, 123_000_000, 123_456_000, 123_456_789, 999_999_999}) {
            rows.put("LocalTime nano " + nano, () -> LocalTime.of(3, 4, 5, nano));
            rows.put("LocalDateTime nano " + nano, () -> at.withNano(nano));
            rows.put("Instant nano " + nano, () -> Instant.ofEpochSecond(1700000000L, nano));
            rows.put("Instant before 1970, nano " + nano, () -> Instant.ofEpochSecond(-2L, nano));
            rows.put("Duration nano " + nano, () -> Duration.ofSeconds(5, nano));
            rows.put("Duration negative, nano " + nano, () -> Duration.ofSeconds(-5, nano));
            rows.put("OffsetDateTime nano " + nano, () -> at.withNano(nano).atOffset(ZoneOffset.ofHoursMinutes(5, 30)));
        }
        rows.put("LocalTime 03:04", () -> LocalTime.of(3, 4));
        rows.put("LocalTime 00:00", () -> LocalTime.MIDNIGHT);
        rows.put("LocalTime 03:04:00.5", () -> LocalTime.of(3, 4, 0, 500_000_000));
        rows.put("LocalDateTime 00:00", () -> LocalDateTime.of(2024, 1, 2, 0, 0));
        rows.put("LocalDateTime early", () -> LocalDateTime.of(-5, 1, 2, 3, 4));
        rows.put("Instant 0", () -> Instant.EPOCH);
        rows.put("Instant seconds 1", () -> Instant.ofEpochSecond(1));
        rows.put("Instant far", () -> Instant.ofEpochSecond(253402300800L));
        rows.put("Instant early", () -> Instant.ofEpochSecond(-62198755200L));
        rows.put("Duration zero", () -> Duration.ZERO);
        rows.put("Duration day", () -> Duration.ofDays(1));
        rows.put("Duration 1 ns", () -> Duration.ofNanos(1));
        rows.put("Duration -1 ns", () -> Duration.ofNanos(-1));
        rows.put("Duration hours", () -> Duration.ofSeconds(3 * 3600 + 4 * 60 + 5));
        rows.put("Period", () -> Period.of(1, -2, 3));
        rows.put("Period zero", () -> Period.ZERO);
        rows.put("OffsetDateTime UTC", () -> at.atOffset(ZoneOffset.UTC));
        rows.put("OffsetTime", () -> OffsetTime.of(3, 4, 5, 0, ZoneOffset.ofHours(-3)));
        rows.put("OffsetTime nano", () -> OffsetTime.of(3, 4, 0, 120_000_000, ZoneOffset.UTC));
        rows.put("ZonedDateTime", () -> at.atZone(ZoneId.of("Europe/Berlin")));
        rows.put("ZonedDateTime nano", () -> at.withNano(120_000_000).atZone(ZoneId.of("Asia/Kolkata")));
        rows.put("ZonedDateTime UTC", () -> at.atZone(ZoneId.of("UTC")));
        rows.put("ZonedDateTime Z", () -> at.atZone(ZoneOffset.UTC));
        rows.put("ZonedDateTime +02:00", () -> at.atZone(ZoneOffset.ofHours(2)));
        rows.put("Year", () -> Year.of(2024));
        rows.put("Year -5", () -> Year.of(-5));
        rows.put("YearMonth", () -> YearMonth.of(2024, 2));
        rows.put("YearMonth 12024", () -> YearMonth.of(12024, 2));
        rows.put("MonthDay", () -> MonthDay.of(2, 29));
        rows.put("ZoneId", () -> ZoneId.of("Europe/Berlin"));
        rows.put("ZoneOffset", () -> ZoneOffset.ofHours(2));
        rows.put("DayOfWeek", () -> DayOfWeek.MONDAY);
        rows.put("POJO Times", Times::new);
        rows.put("POJO Maybe", Times.Maybe::new);
        rows.put("HashMap<LocalDate,..>", () -> new HashMap<>(Map.of(at.toLocalDate(), "x")));
        rows.put("HashMap<Instant,..>", () -> new HashMap<>(Map.of(Instant.EPOCH, "x")));
        rows.put("HashMap<ZonedDateTime,..>", () -> new HashMap<>(Map.of(at.atZone(ZoneId.of("Europe/Berlin")), "x")));
    }
}
