package duequeue.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;

/** Empties a full ready list and answers messages a second. */
final class Consuming {
    private Consuming() {
    }

    static String take(String url, String name, String codec, int count, int threads) throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            RBlockingQueue<Object> queue = client.getBlockingQueue(name, Clients.codec(codec));
            Stopwatch watch = new Stopwatch(count);
            List<Thread> takers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread taker = new Thread(() -> takeAll(queue, watch), "taker-" + i);
                taker.setDaemon(true);
                taker.start();
                takers.add(taker);
            }
            String rate = watch.rate();
            // Wake those that wait: a client shuts down slowly while commands block.
            queue.addAll(Collections.nCopies(threads, "end"));
            for (Thread taker : takers) {
                taker.join(1000);
            }
            return rate;
        } finally {
            client.shutdown();
        }
    }

    private static void takeAll(RBlockingQueue<Object> queue, Stopwatch watch) {
        try {
            while (!watch.finished()) {
                queue.take();
                watch.hit();
            }
        } catch (Exception e) {
            if (!watch.finished()) { // otherwise it is the shutdown that ends a wait
                e.printStackTrace();
            }
        }
    }

    static String poll(String url, String name, String codec, int count, int batch) throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            RBlockingQueue<Object> queue = client.getBlockingQueue(name, Clients.codec(codec));
            Stopwatch watch = new Stopwatch(count);
            while (!watch.finished()) {
                List<Object> got = queue.poll(batch);
                if (got.isEmpty()) {
                    throw new IllegalStateException("the list ran empty");
                }
                got.forEach(value -> watch.hit());
            }
            return watch.rate();
        } finally {
            client.shutdown();
        }
    }
}
