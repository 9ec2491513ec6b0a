import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Prints the sizes of tables, as their serialized form tells: for each set of keys
 * the size after adding them in ascending order, the size after adding them in the
 * order shown, and the keys. Run by: java HashBuckets.java > hashbuckets.txt
 */
public class HashBuckets {
    public static void main(String[] args) throws Exception {
        Random random = new Random(7);
        for (int n = 0; n <= 50; n++) {
            for (int crowd : new int[] {0, 9, 12, 20}) {
                if (crowd > n) {
                    continue;
                }
                List<String> keys = keys(random, n, crowd);
                List<String> sorted = new ArrayList<>(keys);
                Collections.sort(sorted);
                System.out.println(size(new HashMap<>(), sorted) + "\t" + size(new LinkedHashMap<>(), keys) + "\t" + String.join(",", keys));
            }
        }
    }

    /** Returns n keys of which crowd fall into one bucket of sixteen. */
    static List<String> keys(Random random, int n, int crowd) {
        List<String> keys = new ArrayList<>();
        while (keys.size() < n) {
            String key = "k" + random.nextInt(1_000_000);
            int hash = key.hashCode();
            if (!keys.contains(key) && (keys.size() >= crowd || ((hash ^ hash >>> 16) & 15) == 3)) {
                keys.add(key);
            }
        }
        Collections.shuffle(keys, random);
        return keys;
    }

    static int size(Map<String, String> map, List<String> keys) throws Exception {
        for (String key : keys) {
            map.put(key, null);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(map);
        }
        byte[] stream = bytes.toByteArray();
        for (int i = 0; i < stream.length - 9; i++) {
            ByteBuffer at = ByteBuffer.wrap(stream, i, 10);
            if (at.get() == 0x77 && at.get() == 8) { // block of eight bytes: buckets and size
                int buckets = at.getInt();
                if (at.getInt() == keys.size()) {
                    return buckets;
                }
            }
        }
        throw new IllegalStateException("no table in the stream");
    }
}
