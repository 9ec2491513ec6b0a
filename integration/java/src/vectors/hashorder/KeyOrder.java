import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.*;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Writes keyorder.txt: hash codes of keys of many classes, and the order in which ConcurrentHashMap, Hashtable,
 * Properties and TreeSet iterate keys.
 *
 *   javac -d /tmp/keyorder KeyOrder.java && java -cp /tmp/keyorder KeyOrder > keyorder.txt
 *
 * Lines: h TAB kind TAB key TAB hash code; or c, t, p (ConcurrentHashMap, Hashtable, Properties) TAB key,key,… with
 * strings put in ascending order; or s TAB kind TAB key,key,… as a TreeSet iterates them.
 */
public final class KeyOrder {
    private static final Random RANDOM = new Random(20240301);

    private static final List<Map.Entry<String, Supplier<Object>>> KINDS = List.of(
        Map.entry("integer", () -> new BigInteger(1 + RANDOM.nextInt(200), RANDOM).multiply(BigInteger.valueOf(RANDOM.nextInt(3) - 1))),
        Map.entry("decimal", () -> new BigDecimal(new BigInteger(1 + RANDOM.nextInt(100), RANDOM).multiply(BigInteger.valueOf(RANDOM.nextInt(3) - 1)), RANDOM.nextInt(40) - 20)),
        Map.entry("uuid", () -> new UUID(RANDOM.nextLong(), RANDOM.nextLong())),
        Map.entry("date", () -> new Date(RANDOM.nextLong())),
        Map.entry("instant", () -> Instant.ofEpochSecond(RANDOM.nextInt() * 7L, RANDOM.nextInt(1_000_000_000))),
        Map.entry("duration", () -> Duration.ofSeconds(RANDOM.nextLong() >> 8, RANDOM.nextInt(1_000_000_000))),
        Map.entry("localdate", KeyOrder::date),
        Map.entry("localtime", KeyOrder::time),
        Map.entry("localdatetime", () -> LocalDateTime.of(date(), time())),
        Map.entry("zoneoffset", KeyOrder::offset),
        Map.entry("offsettime", () -> OffsetTime.of(time(), offset())),
        Map.entry("offsetdatetime", () -> OffsetDateTime.of(date(), time(), offset())),
        Map.entry("zoneddatetime", () -> ZonedDateTime.of(date(), time(), RANDOM.nextBoolean() ? offset() : ZoneId.of("Asia/Tokyo"))),
        Map.entry("year", () -> Year.of(RANDOM.nextInt(4000) - 1000)),
        Map.entry("yearmonth", () -> YearMonth.of(RANDOM.nextInt(4000) - 1000, 1 + RANDOM.nextInt(12))),
        Map.entry("monthday", () -> MonthDay.of(1 + RANDOM.nextInt(12), 1 + RANDOM.nextInt(28))),
        Map.entry("period", () -> Period.of(RANDOM.nextInt(), RANDOM.nextInt(), RANDOM.nextInt())),
        Map.entry("bitset", KeyOrder::bits),
        Map.entry("zone", () -> ZoneId.of(RANDOM.nextBoolean() ? "Europe/Berlin" : "Asia/Shanghai")),
        Map.entry("charset", () -> RANDOM.nextBoolean() ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1));

    public static void main(String[] args) {
        StringBuilder out = new StringBuilder();
        for (Map.Entry<String, Supplier<Object>> kind : KINDS) {
            for (int i = 0; i < 12; i++) {
                Object v = kind.getValue().get();
                out.append("h\t" + kind.getKey() + "\t" + text(v) + "\t" + v.hashCode() + "\n");
            }
            if (kind.getValue().get() instanceof Comparable && !kind.getKey().equals("charset")) {
                TreeSet<Object> set = new TreeSet<>();
                for (int i = 0; i < 9; i++) set.add(kind.getValue().get());
                StringJoiner line = new StringJoiner(";", "s\t" + kind.getKey() + "\t", "\n");
                for (Object v : set) line.add(text(v));
                out.append(line);
            }
        }
        for (int n = 0; n < 240; n++) {
            int size = n < 80 ? n % 40 : RANDOM.nextInt(n % 6 == 0 ? 300 : 40);
            TreeSet<String> keys = new TreeSet<>();
            int blocks = 1;
            while (1 << blocks < 2 * size + 1) blocks++;
            while (keys.size() < size) keys.add(n % 3 == 0 ? collide(blocks) : n % 3 == 1 ? collide(2) + word() : word());
            Map<Object, Object> map = n % 5 == 3 ? new Hashtable<>() : n % 5 == 4 ? new Properties() : new ConcurrentHashMap<>();
            for (String k : keys) map.put(k, k);
            StringJoiner line = new StringJoiner(",", (n % 5 == 3 ? "t" : n % 5 == 4 ? "p" : "c") + "\t", "\n");
            for (Map.Entry<Object, Object> e : map.entrySet()) line.add((String) e.getKey());
            out.append(line);
        }
        System.out.print(out);
    }

    private static String text(Object v) {
        if (v instanceof Date) return Long.toString(((Date) v).getTime());
        if (v instanceof Instant) return ((Instant) v).getEpochSecond() + " " + ((Instant) v).getNano();
        if (v instanceof Duration) return ((Duration) v).getSeconds() + " " + ((Duration) v).getNano();
        if (v instanceof LocalDate) return date((LocalDate) v);
        if (v instanceof LocalTime) return time((LocalTime) v);
        if (v instanceof LocalDateTime) return date(((LocalDateTime) v).toLocalDate()) + " " + time(((LocalDateTime) v).toLocalTime());
        if (v instanceof ZoneOffset) return Integer.toString(((ZoneOffset) v).getTotalSeconds());
        if (v instanceof OffsetTime) return time(((OffsetTime) v).toLocalTime()) + " " + text(((OffsetTime) v).getOffset());
        if (v instanceof OffsetDateTime) return text(((OffsetDateTime) v).toLocalDateTime()) + " " + text(((OffsetDateTime) v).getOffset());
        if (v instanceof ZonedDateTime) return text(((ZonedDateTime) v).toLocalDateTime()) + " " + text(((ZonedDateTime) v).getOffset()) + " " + ((ZonedDateTime) v).getZone();
        if (v instanceof YearMonth) return ((YearMonth) v).getYear() + " " + ((YearMonth) v).getMonthValue();
        if (v instanceof MonthDay) return ((MonthDay) v).getMonthValue() + " " + ((MonthDay) v).getDayOfMonth();
        if (v instanceof Period) return ((Period) v).getYears() + " " + ((Period) v).getMonths() + " " + ((Period) v).getDays();
        if (v instanceof BitSet) {
            StringJoiner words = new StringJoiner(" ");
            for (long w : ((BitSet) v).toLongArray()) words.add(Long.toString(w));
            return words.toString();
        }
        return v.toString();
    }

    private static String date(LocalDate d) { return d.getYear() + " " + d.getMonthValue() + " " + d.getDayOfMonth(); }
    private static String time(LocalTime t) { return t.getHour() + " " + t.getMinute() + " " + t.getSecond() + " " + t.getNano(); }
    private static LocalDate date() { return LocalDate.of(RANDOM.nextInt(5000) - 1000, 1 + RANDOM.nextInt(12), 1 + RANDOM.nextInt(28)); }
    private static LocalTime time() { return LocalTime.ofNanoOfDay((long) (RANDOM.nextDouble() * 86_400e9)); }
    private static ZoneOffset offset() { return ZoneOffset.ofTotalSeconds(RANDOM.nextInt(2 * 64_800) - 64_800); }

    private static BitSet bits() {
        BitSet b = new BitSet();
        for (int i = RANDOM.nextInt(20); i > 0; i--) b.set(RANDOM.nextInt(300));
        return b;
    }

    private static String collide(int blocks) {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < blocks; i++) b.append(RANDOM.nextBoolean() ? "Aa" : "BB");
        return b.toString();
    }

    private static String word() {
        StringBuilder b = new StringBuilder();
        for (int i = 2 + RANDOM.nextInt(6); i > 0; i--) b.append((char) ('a' + RANDOM.nextInt(26)));
        return b.toString();
    }
}
