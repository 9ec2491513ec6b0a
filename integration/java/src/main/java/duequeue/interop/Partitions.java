package duequeue.interop;

import duequeue.partitions.PartitionedDelayedQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;

/** A queue of several partitions as one Java service sees it. */
final class Partitions {
    private final PartitionedDelayedQueue<Object> queue;
    private final List<Object> taken = new ArrayList<>();
    private List<Thread> takers = List.of();

    Partitions(RedissonClient client, Codec codec, String name, int n) {
        queue = new PartitionedDelayedQueue<>(client, codec == null ? client.getConfig().getCodec() : codec, name, n);
    }

    void offer(Object value, long delayMs) {
        queue.offer(value, delayMs, TimeUnit.MILLISECONDS);
    }

    void offer(String key, Object value, long delayMs) {
        queue.offer(key, value, delayMs, TimeUnit.MILLISECONDS);
    }

    /** Takes from all partitions until {@link #stop}. */
    void take() {
        takers = queue.take(this::add);
    }

    private synchronized void add(Object value) {
        taken.add(value);
    }

    /** What was taken so far. */
    synchronized List<Object> taken() {
        return new ArrayList<>(taken);
    }

    /** Ends the takers; what one has popped at this moment is lost, as with every take of Redisson. */
    void stop() throws InterruptedException {
        for (Thread taker : takers) {
            taker.interrupt();
            taker.join();
        }
    }
}
