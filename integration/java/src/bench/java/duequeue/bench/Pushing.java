package duequeue.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Puts messages into random ones of many queues of others: payloads are the time in µs from which they are late. */
final class Pushing {
    private static final int DELAY_MS = 5;
    private static final int WARM_UP = 300; // messages into a queue of its own

    private Pushing() {
    }

    /** Adds to ready lists. */
    static void add(String url, List<String> names, int count, int gapMs) throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            for (int i = 0; i < WARM_UP; i++) {
                client.getBlockingQueue("warm-up", StringCodec.INSTANCE).add("");
            }
            Random random = new Random();
            for (int i = 0; i < count; i++) {
                TimeUnit.MILLISECONDS.sleep(gapMs);
                RBlockingQueue<String> queue = client.getBlockingQueue(names.get(random.nextInt(names.size())), StringCodec.INSTANCE);
                queue.add(String.valueOf(Mixed.micros()));
            }
        } finally {
            client.shutdown();
        }
    }

    /** Offers with a delay; this client transfers what falls due. */
    @SuppressWarnings("deprecation")
    static void offer(String url, List<String> names, int count, int gapMs) throws Exception {
        RedissonClient client = Clients.open(url);
        List<RDelayedQueue<String>> queues = new ArrayList<>();
        try {
            for (String name : names) {
                queues.add(client.getDelayedQueue(client.getBlockingQueue(name, StringCodec.INSTANCE)));
            }
            RDelayedQueue<String> other = client.getDelayedQueue(client.getBlockingQueue("warm-up", StringCodec.INSTANCE));
            queues.add(other);
            for (int i = 0; i < WARM_UP; i++) {
                other.offer("", DELAY_MS, TimeUnit.MILLISECONDS);
            }
            Random random = new Random();
            for (int i = 0; i < count; i++) {
                TimeUnit.MILLISECONDS.sleep(gapMs);
                long due = (System.currentTimeMillis() + DELAY_MS) * 1000;
                queues.get(random.nextInt(names.size())).offer(String.valueOf(due), DELAY_MS, TimeUnit.MILLISECONDS);
            }
            TimeUnit.MILLISECONDS.sleep(500);
        } finally {
            queues.forEach(RDelayedQueue::destroy);
            client.shutdown();
        }
    }
}
