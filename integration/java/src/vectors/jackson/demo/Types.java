package demo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Beans behind the vectors of the Jackson codecs. Fields are public, so that Jackson 2 and 3 see the same. */
public final class Types {
    private Types() {
    }

    public enum Status { NEW, PAID }

    /** Its text is not its name: Jackson 3 writes the text. */
    public enum Grade {
        LOW, HIGH;

        @Override
        public String toString() {
            return name().toLowerCase() + " grade";
        }
    }

    public enum Fancy {
        A {
            @Override
            public String x() {
                return "a";
            }
        };

        public abstract String x();
    }

    public static class Item {
        public String sku = "A";
        public int n = 1;
    }

    public static class Special extends Item {
        public Long extra = 9L;
    }

    public static final class Leaf {
        public String v = "fv";
        public Long n = 3L;
    }

    public static class Empty {
    }

    /** Fields of all declared types that change what is written. */
    public static class Order {
        public long id = 1;
        public Long boxedId = 2L;
        public int qty = 3;
        public Integer boxedQty = 4;
        public short s = 5;
        public Short boxedS = 6;
        public byte b = -7;
        public Byte boxedB = 8;
        public double price = 1.5;
        public Double boxedPrice = 2.5;
        public float f = 0.1f;
        public Float boxedF = 0.5f;
        public boolean ok = true;
        public Boolean boxedOk = false;
        public char ch = 'x';
        public Character boxedCh = '\u4e2d';
        public String name = "n";
        public String nothing;
        public BigDecimal amount = new BigDecimal("12.30");
        public BigDecimal thousand = new BigDecimal("1E+3");
        public BigInteger big = new BigInteger("123456789012345678901234567890");
        public Number num = 5L;
        public Date created = new Date(1700000000123L);
        public UUID uuid = new UUID(1, 2);
        public URI uri = URI.create("http://x/y");
        public Locale locale = Locale.US;
        public Status status = Status.NEW;
        public Grade grade = Grade.HIGH;
        public byte[] blob = {1, 2, 3};
        public int[] ints = {1, 2};
        public long[] longs = {1, 2};
        public double[] doubles = {1, 2.5};
        public char[] chars = {'a', 'b'};
        public Long[] boxedLongs = {1L, 2L};
        public String[] strings = {"x", null};
        public Object[] objects = {1, "a", 3L, null, Status.NEW, Grade.LOW};
        public Item[] itemArray = {new Item()};
        public int[][] grid = {{1}, {2, 3}};
        public Object anyInt = 8;
        public Object anyLong = 7L;
        public Object anyText = "s";
        public Object anyDouble = 2.5;
        public Object anyFloat = 2.5f;
        public Object anyDate = new Date(0);
        public Object anyEnum = Status.PAID;
        public Object anyGrade = Grade.LOW;
        public Object anyDecimal = new BigDecimal("1.10");
        public Object anyBytes = new byte[] {9};
        public Object anyUuid = new UUID(1, 2);
        public Object anyItem = new Item();
        public Object anyList = new ArrayList<>(Arrays.asList(1, 2L));
        public List<String> tags = new ArrayList<>(Arrays.asList("a", null, "b"));
        public List<Long> longList = new ArrayList<>(Arrays.asList(1L, 2L));
        public List<Double> doubleList = new ArrayList<>(Arrays.asList(1.0, Double.NaN));
        public List<Object> mixed = new ArrayList<>(Arrays.asList("a", 1, 2L, null));
        public List<Status> states = new ArrayList<>(Arrays.asList(Status.NEW));
        public List<Item> items = new ArrayList<>(Arrays.asList(new Item(), new Special()));
        public List<Leaf> leaves = new ArrayList<>(Collections.singletonList(new Leaf()));
        public List<List<Long>> nested = new ArrayList<>(Collections.singletonList(new ArrayList<>(Arrays.asList(1L))));
        public List<UUID> uuids = new ArrayList<>(Collections.singletonList(new UUID(1, 2)));
        public List<Date> dates = new ArrayList<>(Collections.singletonList(new Date(0)));
        public Collection<Integer> ring = new ArrayList<>(Arrays.asList(1, 2));
        public Set<String> set = new TreeSet<>(Arrays.asList("a", "b"));
        public Map<String, Object> attrs = new LinkedHashMap<>();
        public Map<String, Long> counts = new TreeMap<>(Collections.singletonMap("k", 1L));
        public Map<Long, String> byId = new HashMap<>(Collections.singletonMap(5L, "x"));
        public Map<Status, Item> byState = new HashMap<>(Collections.singletonMap(Status.NEW, new Item()));
        public Map<String, List<Item>> groups = new HashMap<>();
        public Item item = new Item();
        public Item poly = new Special();
        public Leaf leaf = new Leaf();
        public Object self;
        public transient String hidden = "t";

        public Order() {
            attrs.put("k", 1);
            attrs.put("l", 2L);
            attrs.put("nul", null);
            groups.put("g", new ArrayList<>(Collections.singletonList(new Item())));
        }
    }

    /** What Avro has types for. */
    public static class Flat {
        public byte[] blob = {1, 2};
        public double d = 1.5;
        public Long id = 7L;
        public int n = 1;
        public String nul;
        public boolean ok = true;
        public String sku = "A";
        public Status st = Status.PAID;
        public List<String> tags = new ArrayList<>(Arrays.asList("x", "y"));
    }

    public static class Gen<T> {
        public T val;
        public List<T> vals;

        public Gen() {
        }

        public Gen(T val) {
            this.val = val;
            this.vals = new ArrayList<>(Collections.singletonList(val));
        }
    }

    public static class GenHolder {
        public Gen<Long> longs = new Gen<>(5L);
        public Gen<Item> items = new Gen<>(new Item());
        public Gen<?> any = new Gen<>(6L);
    }

    public static class Node {
        public String name;
        public Node next;

        public Node() {
        }

        public Node(String name, Node next) {
            this.name = name;
            this.next = next;
        }
    }

    public record Rec(String b, long a, Long boxed, Item item, Object any) {
    }

    public static class HasRec {
        public Rec rec = new Rec("q", 1, 2L, new Item(), 3L);
        public List<Rec> recs = new ArrayList<>(Collections.singletonList(rec));
    }

    /** What getters do beside fields. */
    public static class Getters {
        private long id = 1;
        private String only = "field";
        public transient int gone = 4;

        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }

        public String getComputed() {
            return "c";
        }

        public boolean isReady() {
            return true;
        }
    }

    /** Names in the order of UTF-16, not of bytes; and those that need escapes. */
    public static class Names {
        public int Zed = 1;
        public int alpha = 2;
        public int $cash = 3;
        public int _under = 4;
        public int \u00e9t\u00e9 = 5;
        public int aB = 6;
        public int ab = 7;
    }

    public static class Dates {
        public Date date = new Date(1700000000123L);
        public java.sql.Timestamp stamp = new java.sql.Timestamp(1700000000123L);
        public java.sql.Date day = new java.sql.Date(1700000000123L);
        public Calendar calendar = calendar();
        public Date old = new Date(-62198755200000L);
        public Date far = new Date(253402300800000L);

        static Calendar calendar() {
            Calendar c = Calendar.getInstance(java.util.TimeZone.getTimeZone("UTC"));
            c.setTimeInMillis(1700000000123L);
            return c;
        }
    }

    public static class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        public int code = 7;
        private final int secret = 8;

        public Failure(String message) {
            super(message);
        }

        public int secret() {
            return secret;
        }
    }
}
