package duequeue.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Clients that all transfer some queues, each with a number of take() loops for each of them. */
final class Serving {
    private static final String END = "end";
    private final int threads;
    private final List<RedissonClient> clients = new ArrayList<>();
    private final List<RBlockingQueue<String>> ready = new ArrayList<>();
    private final List<RDelayedQueue<String>> delayed = new ArrayList<>();
    private final List<Thread> takers = new ArrayList<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicLongArray times; // µs, by the number that a text begins with

    /** Connects; nothing is taken or transferred before start. */
    Serving(String url, String name, int clients, int threads, int count, int queues) {
        this.threads = threads;
        times = new AtomicLongArray(count);
        for (int i = 0; i < clients; i++) {
            RedissonClient client = Clients.open(url);
            this.clients.add(client);
            for (int q = 0; q < queues; q++) {
                ready.add(client.getBlockingQueue(q == 0 ? name : name + "-" + q, StringCodec.INSTANCE));
            }
        }
    }

    /** Begins to take and to transfer. */
    @SuppressWarnings("deprecation")
    void start() {
        for (int i = 0; i < ready.size(); i++) {
            RBlockingQueue<String> queue = ready.get(i);
            for (int t = 0; t < threads; t++) {
                Thread taker = new Thread(() -> takeAll(queue), "taker-" + i + "-" + t);
                taker.setDaemon(true);
                taker.start();
                takers.add(taker);
            }
            delayed.add(clients.get(i * clients.size() / ready.size()).getDelayedQueue(queue));
        }
    }

    private void takeAll(RBlockingQueue<String> queue) {
        try {
            while (true) {
                String text = queue.take();
                Instant now = Instant.now();
                if (text.equals(END)) {
                    return;
                }
                times.set(Integer.parseInt(text.substring(0, 8)), now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000);
                taken.incrementAndGet();
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    int count() {
        return taken.get();
    }

    String times() {
        return times.toString().replace(" ", "");
    }

    void stop() throws InterruptedException {
        for (RBlockingQueue<String> queue : ready) { // a client shuts down slowly while commands block
            queue.addAll(Collections.nCopies(threads, END));
        }
        for (Thread taker : takers) {
            taker.join(1000);
        }
        delayed.forEach(RDelayedQueue::destroy);
        clients.parallelStream().forEach(RedissonClient::shutdown); // each takes seconds
    }
}
