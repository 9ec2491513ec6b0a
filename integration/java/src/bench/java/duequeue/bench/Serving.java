package duequeue.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Clients that all transfer one queue, each with a number of take() loops, which may be none. */
final class Serving {
    private static final String END = "end";
    private final int threads;
    private final List<RedissonClient> clients = new ArrayList<>();
    private final List<RBlockingQueue<String>> ready = new ArrayList<>();
    private final List<RDelayedQueue<String>> delayed = new ArrayList<>();
    private final List<Thread> takers = new ArrayList<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final int count;
    private final CountDownLatch all = new CountDownLatch(1);
    private volatile long lastMicros;

    /** Connects; nothing is taken or transferred before start. */
    Serving(String url, String name, int clients, int threads, int count) {
        this.threads = threads;
        this.count = count;
        for (int i = 0; i < clients; i++) {
            RedissonClient client = Clients.open(url);
            this.clients.add(client);
            ready.add(client.getBlockingQueue(name, StringCodec.INSTANCE));
        }
    }

    /** Begins to take and to transfer; answers when that was, in µs. */
    @SuppressWarnings("deprecation")
    String start() {
        long began = now();
        for (int i = 0; i < clients.size(); i++) {
            RBlockingQueue<String> queue = ready.get(i);
            for (int t = 0; t < threads; t++) {
                Thread taker = new Thread(() -> takeAll(queue), "taker-" + i + "-" + t);
                taker.setDaemon(true);
                taker.start();
                takers.add(taker);
            }
            delayed.add(clients.get(i).getDelayedQueue(queue));
        }
        return String.valueOf(began);
    }

    private static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    private void takeAll(RBlockingQueue<String> queue) {
        try {
            while (true) {
                if (queue.take().equals(END)) {
                    return;
                }
                if (taken.incrementAndGet() == count) {
                    lastMicros = now();
                    all.countDown();
                }
            }
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    /** Waits for all and answers when the last one was taken, in µs. */
    String await(int seconds) throws InterruptedException {
        if (!all.await(seconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException("only " + taken + " of " + count + " messages came");
        }
        return String.valueOf(lastMicros);
    }

    void stop() throws InterruptedException {
        ready.get(0).addAll(Collections.nCopies(takers.size(), END)); // a client shuts down slowly while commands block
        for (Thread taker : takers) {
            taker.join(1000);
        }
        delayed.forEach(RDelayedQueue::destroy);
        clients.parallelStream().forEach(RedissonClient::shutdown); // each takes seconds
    }
}
