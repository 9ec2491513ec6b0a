package duequeue.bench;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Offers one after the other and answers offers a second. */
final class Offering {
    private Offering() {
    }

    @SuppressWarnings("deprecation")
    static String offer(String url, String name, int count, int bytes) throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            RDelayedQueue<String> queue = client.getDelayedQueue(client.getBlockingQueue(name, StringCodec.INSTANCE));
            Stopwatch watch = new Stopwatch(count);
            for (int i = 0; i < count; i++) {
                queue.offer(Clients.payload(i, bytes), 1, TimeUnit.HOURS);
                watch.hit();
            }
            return watch.rate();
        } finally {
            client.shutdown();
        }
    }
}
