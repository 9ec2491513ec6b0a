import com.fasterxml.jackson.dataformat.avro.AvroMapper;
import com.fasterxml.jackson.dataformat.avro.AvroSchema;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.*;
import org.redisson.client.codec.Codec;
import org.redisson.codec.AvroJacksonCodec;

/** Prints the rows of VERSION.tsv: what AvroJacksonCodec writes of random orders. */
public class AvroRows {
    public enum Status { NEW, PAID, SENT }

    public static class Item {
        public String sku;
        public int n;
        public BigDecimal price;
    }

    public static class Node {
        public String name;
        public Node next;
    }

    public static class Order {
        public String id;
        public int count;
        public Integer boxedCount;
        public long cents;
        public Long boxedCents;
        public double rate;
        public Double boxedRate;
        public float ratio;
        public Float boxedRatio;
        public short s;
        public byte b;
        public char c;
        public boolean ok;
        public Boolean boxedOk;
        public BigDecimal total;
        public BigInteger big;
        public Date created;
        public UUID uuid;
        public Status status;
        public byte[] blob;
        public List<String> tags;
        public Map<String, Long> counts;
        public Item item;
        public List<Item> items;
        public Map<String, Item> byName;
        public Node node;
        public int[] ints;
        public Set<Status> states;
        public Map<String, List<String>> groups;
    }

    static final Random random = new Random(7);

    static <T> T maybe(T v) {
        return random.nextInt(5) == 0 ? null : v;
    }

    static String text() {
        StringBuilder s = new StringBuilder();
        for (int n = random.nextInt(12); n > 0; n--) {
            s.appendCodePoint(switch (random.nextInt(6)) {
                case 0 -> 0xE9;
                case 1 -> 0x4E2D;
                case 2 -> 0x1F600;
                default -> 'a' + random.nextInt(26);
            });
        }
        return s.toString();
    }

    static Item item() {
        Item i = new Item();
        i.sku = maybe(text());
        i.n = random.nextInt();
        i.price = maybe(new BigDecimal(BigInteger.valueOf(random.nextInt()), random.nextInt(20) - 8));
        return i;
    }

    static Order order() {
        Order o = new Order();
        o.id = maybe(text());
        o.count = random.nextInt() >> random.nextInt(32);
        o.boxedCount = maybe(random.nextInt());
        o.cents = random.nextLong() >> random.nextInt(64);
        o.boxedCents = maybe(random.nextLong());
        o.rate = random.nextBoolean() ? random.nextGaussian() : Double.longBitsToDouble(random.nextLong());
        o.boxedRate = maybe(random.nextBoolean() ? Double.NaN : -0.0);
        o.ratio = (float) random.nextGaussian();
        o.boxedRatio = maybe(Float.POSITIVE_INFINITY);
        o.s = (short) random.nextInt();
        o.b = (byte) random.nextInt();
        o.c = (char) ('a' + random.nextInt(26));
        o.ok = random.nextBoolean();
        o.boxedOk = maybe(random.nextBoolean());
        o.total = maybe(new BigDecimal(new BigInteger(80, random), random.nextInt(30) - 10));
        o.big = maybe(new BigInteger(random.nextInt(200), random).negate());
        o.created = maybe(new Date(random.nextLong() >> 20));
        o.uuid = maybe(new UUID(random.nextLong(), random.nextLong()));
        o.status = maybe(Status.values()[random.nextInt(3)]);
        o.blob = maybe(text().getBytes());
        o.tags = maybe(new ArrayList<>());
        o.counts = maybe(new TreeMap<>());
        o.items = maybe(new LinkedList<>());
        o.byName = maybe(new TreeMap<>());
        o.groups = maybe(new TreeMap<>());
        o.states = maybe(EnumSet.noneOf(Status.class));
        for (int n = random.nextInt(40); n > 0; n--) {
            if (o.tags != null) o.tags.add(text());
            if (o.counts != null) o.counts.put(text(), random.nextLong());
            if (o.groups != null) o.groups.put(text(), new ArrayList<>(List.of(text())));
            if (n < 6 && o.items != null) o.items.add(item());
            if (n < 6 && o.byName != null) o.byName.put(text(), item());
            if (n < 3 && o.states != null) o.states.add(Status.values()[n]);
        }
        o.item = maybe(item());
        o.ints = maybe(random.ints(random.nextInt(5)).toArray());
        for (int n = random.nextInt(5); n > 0; n--) {
            Node node = new Node();
            node.name = maybe(text());
            node.next = o.node;
            o.node = node;
        }
        return o;
    }

    public static void main(String[] args) throws Exception {
        java.io.PrintStream err = System.err;
        System.setErr(new java.io.PrintStream(java.io.OutputStream.nullOutputStream())); // its warm-up prints a stack trace
        AvroMapper mapper = new AvroMapper();
        AvroSchema schema = mapper.schemaFor(Order.class);
        System.out.println("schema\t" + schema.getAvroSchema());
        Codec codec = new AvroJacksonCodec(Order.class, schema);
        System.setErr(err);
        for (int i = 0; i < 60; i++) {
            ByteBuf b = codec.getValueEncoder().encode(i == 0 ? new Order() : order());
            System.out.println((i == 0 ? "zero" : "random " + i) + "\t" + ByteBufUtil.hexDump(b));
        }
    }
}
