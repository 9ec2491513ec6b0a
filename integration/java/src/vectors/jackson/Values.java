import demo.Types;
import demo.Types.Item;
import demo.Types.Status;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Currency;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** Samples that are no containers. */
final class Values {
    private Values() {
    }

    static void addTo(Map<String, Callable<Object>> rows) {
        texts(rows);
        numbers(rows);
        others(rows);
        dates(rows);
        arrays(rows);
    }

    private static void texts(Map<String, Callable<Object>> rows) {
        rows.put("String abc", () -> "abc");
        rows.put("String empty", () -> "");
        rows.put("String escapes", () -> "a\"b\\c/\b\f\n\r\t\u0000\u0001\u001f\u007f<>&'");
        rows.put("String unicode", () -> "\u00e9\u4e2d\u2028\u2029\ufeff\uffff");
        rows.put("String supplementary", () -> "x\ud83d\ude00y\udbff\udfff");
        rows.put("String lone high", () -> "a\ud800b");
        rows.put("String lone low", () -> "a\udc00");
        for (int n : new int[] {23, 24, 31, 32, 33, 63, 64, 65, 66, 255, 256, 257, 1999,
            3995, 3996, 3997, 3998, 7991}) {
            rows.put("String x*" + n, () -> "x".repeat(n));
        }
        for (int n : new int[] {21, 22, 32, 33, 64, 85, 86, 1332, 1333}) {
            rows.put("String zhong*" + n, () -> "\u4e2d".repeat(n));
            rows.put("String e-acute*" + n, () -> "\u00e9".repeat(n));
        }
        rows.put("String smile*1100", () -> "a" + "\ud83d\ude00".repeat(1100));
        rows.put("Boolean", () -> true);
        rows.put("Boolean false", () -> false);
        rows.put("Character", () -> 'c');
        rows.put("Character lone", () -> '\ud800');
        rows.put("StringBuilder", () -> new StringBuilder("sb"));
        rows.put("null", () -> null);
    }

    private static void numbers(Map<String, Callable<Object>> rows) {
        for (int n : new int[] {0, 1, -1, 15, 16, -16, -17, 23, 24, 31, 32, -32, -33, 42, 63, 64, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769,
            65535, 65536, 1000000, 134217727, 134217728, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            rows.put("Integer " + n, () -> n);
        }
        for (long n : new long[] {0, 42, -1, 2147483647L, 2147483648L, -2147483648L, -2147483649L, 4294967295L, 4294967296L, 9007199254740993L,
            Long.MAX_VALUE, Long.MIN_VALUE}) {
            rows.put("Long " + n, () -> n);
        }
        rows.put("Byte", () -> (byte) -1);
        rows.put("Short", () -> (short) 2);
        for (float f : new float[] {1.1f, 0f, 1e10f, Float.NaN, Float.NEGATIVE_INFINITY}) {
            rows.put("Float " + f, () -> f);
        }
        for (double d : new double[] {0, -0.0, 1, 1.5, 0.1, 1e7, 1e21, 1e-3, 1e-5, 123456789.125, Double.MAX_VALUE, Double.MIN_VALUE, Double.NaN,
            Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            rows.put("Double " + d, () -> d);
        }
        for (String n : new String[] {"0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "-256", "18446744073709551615", "18446744073709551616",
            "-18446744073709551616", "123456789012345678901234567890", "-123456789012345678901234567890", "9223372036854775807"}) {
            rows.put("BigInteger " + n, () -> new BigInteger(n));
        }
        rows.put("BigInteger 2^400", () -> BigInteger.ONE.shiftLeft(400));
        for (String n : new String[] {"0", "0.00", "12.30", "-12.30", "1E+3", "1E-10", "-0.001", "100", "1.23456789012345678901234567890", "1E+20", "1E-20",
            "1.5", "123456789012345678901234567890.5", "9223372036854775808"}) {
            rows.put("BigDecimal " + n, () -> new BigDecimal(n));
        }
        rows.put("AtomicInteger", () -> new AtomicInteger(1));
        rows.put("AtomicLong", () -> new AtomicLong(1));
        rows.put("AtomicBoolean", () -> new AtomicBoolean(true));
        rows.put("AtomicReference", () -> new AtomicReference<Object>("r"));
    }

    private static void others(Map<String, Callable<Object>> rows) {
        rows.put("enum", () -> Status.NEW);
        rows.put("enum with body", () -> Types.Fancy.A);
        rows.put("enum with toString", () -> Types.Grade.HIGH);
        rows.put("enum TimeUnit", () -> java.util.concurrent.TimeUnit.SECONDS);
        rows.put("UUID", () -> new UUID(1, 2));
        rows.put("UUID 2", () -> UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
        rows.put("URI", () -> URI.create("urn:x"));
        rows.put("URL", () -> new URL("http://x/y"));
        rows.put("Locale", () -> Locale.US);
        rows.put("Locale root", () -> Locale.ROOT);
        rows.put("Currency", () -> Currency.getInstance("EUR"));
        rows.put("Class", () -> String.class);
        rows.put("Class of array", () -> long[].class);
        rows.put("Pattern", () -> Pattern.compile("a+"));
        rows.put("File", () -> new File("/tmp/a"));
        rows.put("InetAddress", () -> InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        rows.put("BitSet", () -> BitSet.valueOf(new long[] {5}));
        rows.put("Charset", () -> StandardCharsets.UTF_8);
        rows.put("ByteBuffer", () -> ByteBuffer.wrap(new byte[] {1, 2}));
        rows.put("TimeZone", () -> TimeZone.getTimeZone("UTC"));
        rows.put("Object", Object::new);
    }

    private static void dates(Map<String, Callable<Object>> rows) {
        for (long ms : new long[] {0, 1, -1, 999, 1700000000000L, 1700000000123L, -62135596800001L, -62198755200000L, 253402300799999L, 253402300800000L,
            32503680000000000L, -210866803200000L}) {
            rows.put("Date " + ms, () -> new Date(ms));
        }
        rows.put("java.sql.Timestamp", () -> new java.sql.Timestamp(1700000000123L));
        rows.put("java.sql.Date", () -> new java.sql.Date(1700000000123L));
        rows.put("java.sql.Time", () -> new java.sql.Time(3723000L));
        rows.put("GregorianCalendar", () -> {
            GregorianCalendar c = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
            c.setTimeInMillis(1700000000123L);
            return c;
        });
        rows.put("XMLGregorianCalendar", () -> javax.xml.datatype.DatatypeFactory.newInstance()
            .newXMLGregorianCalendar("2024-01-02T03:04:05.000Z"));
    }

    private static void arrays(Map<String, Callable<Object>> rows) {
        for (int n : new int[] {0, 1, 3, 7, 8, 23, 24, 255, 256}) {
            rows.put("byte[] of " + n, () -> {
                byte[] b = new byte[n];
                for (int i = 0; i < n; i++) {
                    b[i] = (byte) (i * 37 + 200);
                }
                return b;
            });
        }
        rows.put("char[]", () -> new char[] {'a', 'b'});
        rows.put("short[]", () -> new short[] {1, -2});
        rows.put("int[]", () -> new int[] {1, 2});
        rows.put("int[] empty", () -> new int[0]);
        rows.put("long[]", () -> new long[] {1, Long.MAX_VALUE});
        rows.put("float[]", () -> new float[] {0.1f, 2});
        rows.put("double[]", () -> new double[] {1, 2.5, Double.NaN});
        rows.put("boolean[]", () -> new boolean[] {true, false});
        rows.put("String[]", () -> new String[] {"a", null});
        rows.put("Integer[]", () -> new Integer[] {1, null});
        rows.put("Long[]", () -> new Long[] {1L, 2L, null});
        rows.put("Double[]", () -> new Double[] {1.0, Double.NaN});
        rows.put("Object[]", () -> new Object[] {1, 2L, "a", null, new Date(0), Status.NEW});
        rows.put("Object[] empty", () -> new Object[0]);
        rows.put("Item[]", () -> new Item[] {new Item(), new Types.Special(), null});
        rows.put("Leaf[]", () -> new Types.Leaf[] {new Types.Leaf()});
        rows.put("int[][]", () -> new int[][] {{1}, {2}});
        rows.put("Object[][]", () -> new Object[][] {{1}, {"a"}});
        rows.put("byte[][]", () -> new byte[][] {{1}});
        rows.put("Date[]", () -> new Date[] {new Date(0)});
        rows.put("UUID[]", () -> new UUID[] {new UUID(1, 2)});
        rows.put("Status[]", () -> new Status[] {Status.NEW});
        rows.put("Locale[]", () -> new Locale[] {Locale.US});
        rows.put("Number[]", () -> new Number[] {1, 2L});
        rows.put("BigDecimal[]", () -> new BigDecimal[] {new BigDecimal("1.5")});
    }
}
