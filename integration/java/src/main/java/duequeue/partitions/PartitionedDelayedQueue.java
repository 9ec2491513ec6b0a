package duequeue.partitions;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;

/** The n partitions of a delayed queue, as registry.Partitions(n) of duequeue lays them out. */
public final class PartitionedDelayedQueue<T> {
    private final List<RBlockingQueue<T>> queues = new ArrayList<>();
    private final List<RDelayedQueue<T>> delayed = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    public PartitionedDelayedQueue(RedissonClient redisson, Codec codec, String code, int n) {
        for (int i = 0; i < n; i++) {
            queues.add(redisson.getBlockingQueue(name(code, i), codec));
            delayed.add(redisson.getDelayedQueue(queues.get(i)));
        }
    }

    /** Offers to the partitions in turn. */
    public void offer(T value, long delay, TimeUnit unit) {
        delayed.get(Math.floorMod(turn.getAndIncrement(), delayed.size())).offer(value, delay, unit);
    }

    /** Offers to the partition of a key. */
    public void offer(String key, T value, long delay, TimeUnit unit) {
        delayed.get(partition(key, delayed.size())).offer(value, delay, unit);
    }

    /** Starts a thread for each partition, which takes until it is interrupted. */
    public List<Thread> take(Consumer<? super T> handler) {
        List<Thread> takers = new ArrayList<>();
        for (RBlockingQueue<T> queue : queues) {
            takers.add(new Thread(() -> {
                try {
                    while (true) {
                        handler.accept(queue.take());
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, queue.getName()));
        }
        takers.forEach(Thread::start);
        return takers;
    }

    /** The name of a partition, for getBlockingQueue. */
    public static String name(String code, int i) {
        if (i == 0) {
            return code;
        }
        String tag = code.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
        int want = slot(code) + (Integer.reverse(i) >>> 18);
        int best = 0;
        int nearest = 16384;
        for (int salt = 0; salt < 1000; salt++) {
            int d = Math.floorMod(crc16(tag + "." + i + "." + salt) - want, 16384);
            if (Math.min(d, 16384 - d) < nearest) {
                nearest = Math.min(d, 16384 - d);
                best = salt;
            }
        }
        return tag + ":{" + tag + "." + i + "." + best + "}";
    }

    /** The partition of a key: the jump hash of its FNV-1a. */
    public static int partition(String key, int n) {
        long h = 0xcbf29ce484222325L;
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            h = (h ^ (b & 0xff)) * 0x100000001b3L;
        }
        long b = 0;
        for (long next = 0; next < n;) {
            b = next;
            h = h * 2862933555777941757L + 1;
            next = ((b + 1) << 31) / ((h >>> 33) + 1);
        }
        return (int) b;
    }

    private static int slot(String name) {
        int open = name.indexOf('{');
        int close = name.indexOf('}', open + 1);
        return crc16(open >= 0 && close > open + 1 ? name.substring(open + 1, close) : name) % 16384;
    }

    private static int crc16(String text) {
        int crc = 0;
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (b & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1;
            }
        }
        return crc;
    }
}
