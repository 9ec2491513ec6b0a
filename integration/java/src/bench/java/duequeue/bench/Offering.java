package duequeue.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Offers from one thread or several, each one after the other. */
final class Offering {
    private Offering() {
    }

    /** Answers offers a second. */
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

    /** Answers offers a second, and the median and 99th percentile of how long one took, in ms. */
    @SuppressWarnings("deprecation")
    static String together(String url, String name, int count, int bytes, int threads) throws Exception {
        RedissonClient client = Clients.open(url);
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        try {
            RDelayedQueue<String> queue = client.getDelayedQueue(client.getBlockingQueue(name, StringCodec.INSTANCE));
            int each = count / threads;
            long[] took = new long[each * threads];
            Stopwatch watch = new Stopwatch(took.length);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread * each;
                all.add(callers.submit(() -> {
                    for (int i = first; i < first + each; i++) {
                        long began = System.nanoTime();
                        queue.offer(Clients.payload(i, bytes), 1, TimeUnit.HOURS);
                        took[i] = System.nanoTime() - began;
                        watch.hit();
                    }
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            Arrays.sort(took);
            return watch.rate() + " " + took[took.length / 2] / 1e6 + " " + took[(int) (took.length * 0.99)] / 1e6;
        } finally {
            callers.shutdownNow();
            client.shutdown();
        }
    }
}
