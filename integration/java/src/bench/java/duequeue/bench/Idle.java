package duequeue.bench;

import java.util.ArrayList;
import java.util.List;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** A service with empty queues: a delayed queue and a waiting take() for each, until the JVM ends. */
final class Idle {
    private final RedissonClient client;
    private final List<RDelayedQueue<String>> delayed = new ArrayList<>();

    @SuppressWarnings("deprecation")
    Idle(String url, int queues) {
        client = Clients.open(url);
        for (int i = 0; i < queues; i++) {
            RBlockingQueue<String> ready = client.getBlockingQueue("idle-" + i, StringCodec.INSTANCE);
            delayed.add(client.getDelayedQueue(ready));
            Thread taker = new Thread(() -> take(ready), "idle-" + i);
            taker.setDaemon(true);
            taker.start();
        }
    }

    private void take(RBlockingQueue<String> ready) {
        try {
            ready.take();
        } catch (Exception e) {
            e.printStackTrace();
        }
    }
}
