import java.io.*;
import java.math.BigInteger;
import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jboss.marshalling.*;

/**
 * Writes fields that a class declares unshared: library, sample, whether Java reads
 * its own bytes ("reads" or "fails"), hex.
 *
 * java Unshared [library] > unshared.tsv
 * java Unshared read < lines of that form: says of each whether Java reads it.
 */
public class Unshared {
    public static class Holder implements Serializable {
        private static final long serialVersionUID = 71L;
        private static final ObjectStreamField[] serialPersistentFields = {
            new ObjectStreamField("a", Object.class), new ObjectStreamField("m", Object.class, true), new ObjectStreamField("z", Object.class),
        };
        Object a, m, z;
        Holder(Object a, Object m, Object z) { this.a = a; this.m = m; this.z = z; }
    }

    enum Color { RED }

    static Map<String, Object> samples() {
        Map<String, Object> all = new LinkedHashMap<>();
        Object date = new Date(7), list = new ArrayList<>(List.of("in")), text = "text";
        all.put("null", null);
        all.put("text", text);
        all.put("empty text", "");
        all.put("Integer", 7);
        all.put("Date", date);
        all.put("ArrayList", list);
        all.put("empty ArrayList", new ArrayList<>());
        all.put("ArrayList of 300", new ArrayList<>(Collections.nCopies(300, true)));
        all.put("LinkedList", new LinkedList<>(List.of("in")));
        all.put("nCopies", Collections.nCopies(2, "in"));
        all.put("singletonList", Collections.singletonList("in"));
        all.put("emptyList", Collections.emptyList());
        all.put("unmodifiableList", Collections.unmodifiableList(new LinkedList<>(List.of("in"))));
        all.put("List.of", List.of("in"));
        all.put("HashMap", new HashMap<>(Map.of("k", "v")));
        all.put("TreeSet", new TreeSet<>(List.of("in")));
        all.put("IdentityHashMap", new IdentityHashMap<>(Map.of("k", "v")));
        all.put("CopyOnWriteArrayList", new CopyOnWriteArrayList<>(List.of("in")));
        all.put("EnumSet", EnumSet.of(Color.RED));
        all.put("EnumMap", new EnumMap<>(Map.of(Color.RED, "v")));
        all.put("String[]", new String[] {"in", null, "in"});
        all.put("Object[] of objects", new Object[] {new Date(8), new ArrayList<>(), new Object[] {"deep"}});
        all.put("double[]", new double[] {1});
        all.put("int[]", new int[] {1});
        all.put("BigInteger", new BigInteger("150"));
        all.put("UUID", new UUID(1, 2));
        all.put("Holder", new Holder("x", new Date(9), "y"));
        all.put("enum", Color.RED);
        all.put("Class int", int.class);
        all.put("Class of its own", Holder.class);
        return all;
    }

    static byte[] write(Object o) throws Exception {
        MarshallingConfiguration c = new MarshallingConfiguration();
        c.setInstanceCount(32); c.setClassCount(16); // as Redisson's codec does
        Marshaller m = Marshalling.getProvidedMarshallerFactory("river").createMarshaller(c);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        m.start(Marshalling.createByteOutput(out));
        m.writeObject(o);
        m.finish();
        return out.toByteArray();
    }

    static Object read(byte[] payload) throws Exception {
        Unmarshaller m = Marshalling.getProvidedMarshallerFactory("river").createUnmarshaller(new MarshallingConfiguration());
        m.start(Marshalling.createByteInput(new ByteArrayInputStream(payload)));
        return m.readObject();
    }

    static String reads(byte[] payload) {
        try { read(payload); return "reads"; } catch (Throwable t) { return "fails"; }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("read")) {
            for (String line : new String(System.in.readAllBytes(), "UTF-8").split("\n")) {
                String[] cells = line.split("\t");
                System.out.println(cells[1] + "\t" + reads(HexFormat.of().parseHex(cells[3])));
            }
            return;
        }
        for (Map.Entry<String, Object> e : samples().entrySet()) {
            Object before = new Date(1); // what stands before and after the field refers to it
            byte[] payload = write(new Object[] {before, new Holder(before, e.getValue(), before), e.getValue(), e.getValue()});
            System.out.println((args.length > 0 ? args[0] : "river4") + "\t" + e.getKey() + "\t" + reads(payload) + "\t" + HexFormat.of().formatHex(payload));
        }
    }
}
