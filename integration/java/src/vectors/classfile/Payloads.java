import demo.*;
import io.netty.buffer.ByteBuf;
import java.lang.reflect.*;
import java.math.BigDecimal;
import java.util.*;
import org.redisson.client.codec.Codec;

/**
 * Prints payloads of the classes in codecs/java/classfile/testdata, as a released
 * Redisson writes them: a name and hex per line. integration/java/build.sh VERSION gets the jars;
 * the class path has integration/java/target/VERSION/lib/* and those classes. Arguments: kryo5,
 * refs, allowed, serialization (made by 4.7.0), marshalling (3.18.1), fst (3.12.5).
 */
public class Payloads {
    public static void main(String[] args) throws Exception {
        for (String which : args) {
            switch (which) {
                case "kryo5":
                    print("order", codec("Kryo5Codec"), order());
                    print("customers", codec("Kryo5Codec"), customers());
                    break;
                case "refs":
                    print("refs", refs(), node());
                    break;
                case "allowed":
                    print("allowed", allowed(), new ArrayList<>(List.of(money())));
                    break;
                case "marshalling":
                    print("marshalling", codec("MarshallingCodec"), money());
                    break;
                case "serialization":
                    print("serialization", codec("SerializationCodec"), money());
                    break;
                case "fst":
                    print("fst", codec("FstCodec"), money());
                    break;
            }
        }
    }

    static Codec codec(String name) throws Exception {
        return (Codec) Class.forName("org.redisson.codec." + name).getConstructor().newInstance();
    }

    static Codec refs() throws Exception {
        return (Codec) Class.forName("org.redisson.codec.Kryo5Codec").getConstructor(Set.class, boolean.class)
            .newInstance(Collections.emptySet(), true);
    }

    static Codec allowed() throws Exception {
        Set<String> names = new LinkedHashSet<>(Arrays.asList("java.util.ArrayList", "demo.Money"));
        for (Constructor<?> c : Class.forName("org.redisson.codec.Kryo5Codec").getConstructors()) {
            if (Arrays.equals(c.getParameterTypes(), new Class<?>[] {Set.class})) return (Codec) c.newInstance(names);
        }
        return (Codec) Class.forName("org.redisson.codec.Kryo5Codec").getConstructor(Set.class, boolean.class).newInstance(names, false);
    }

    static void print(String name, Codec codec, Object value) throws Exception {
        ByteBuf buf = codec.getValueEncoder().encode(value);
        StringBuilder hex = new StringBuilder();
        while (buf.isReadable()) hex.append(String.format("%02x", buf.readByte()));
        System.out.println(name + " " + hex);
    }

    static <T> T make(Class<T> c, Object... fields) throws Exception {
        Constructor<T> make = c.getDeclaredConstructor();
        make.setAccessible(true);
        T o = make.newInstance();
        for (int i = 0; i < fields.length; i += 2) {
            Class<?> at = c;
            while (true) {
                try {
                    Field f = at.getDeclaredField((String) fields[i]);
                    f.setAccessible(true);
                    f.set(o, fields[i + 1]);
                    break;
                } catch (NoSuchFieldException e) {
                    at = at.getSuperclass();
                }
            }
        }
        return o;
    }

    static Money money() { return new Money(1999, "EUR"); }

    static Order.Item item(String sku, int count) throws Exception {
        return make(Order.Item.class, "sku", sku, "count", count, "price", new BigDecimal("12.34"));
    }

    static Order order() throws Exception {
        return make(Order.class, "orderId", "A100", "amountCents", 12345L, "qty", 2, "paid", true, "grade", 'B',
            "createdAt", new Date(1700000000123L), "paidAt", java.time.LocalDateTime.of(2024, 1, 2, 3, 4, 5),
            "tags", new ArrayList<>(List.of("vip", "new")), "items", new ArrayList<>(List.of(item("x1", 1), item("x2", 3))),
            "color", Color.GREEN, "op", Op.SUB, "money", money(), "where", new Point(1, -2, "home"), "codes", new int[] {1, 2},
            "anything", Op.ADD, "result", make(Result.class, "code", 7, "data", item("x3", 9)), "status", Order.Status.PAID);
    }

    static List<Customer> customers() throws Exception {
        Customer a = make(Customer.class, "id", 7L, "name", "Ann");
        Customer b = make(Vip.class, "id", 8L, "name", "Bob", "perk", "lounge", "referrer", a);
        return new ArrayList<>(List.of(a, b));
    }

    static Node node() throws Exception {
        Node root = make(Node.class, "n", "root"), leaf = make(Node.class, "n", "leaf");
        Field kids = Node.class.getDeclaredField("kids"), next = Node.class.getDeclaredField("next");
        kids.setAccessible(true);
        next.setAccessible(true);
        kids.set(root, new ArrayList<>(List.of(leaf, leaf)));
        next.set(leaf, root);
        return root;
    }
}
