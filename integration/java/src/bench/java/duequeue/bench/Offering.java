package duequeue.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Offers from threads, each one after the other, or without waiting. */
final class Offering {
    private Offering() {
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

    /** Offers by offerAsync, a bounded number at a time, and answers offers a second. */
    @SuppressWarnings("deprecation")
    static String async(String url, String name, int count, int bytes, int inFlight) throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            RDelayedQueue<String> queue = client.getDelayedQueue(client.getBlockingQueue(name, StringCodec.INSTANCE));
            Semaphore room = new Semaphore(inFlight);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Stopwatch watch = new Stopwatch(count);
            for (int i = 0; i < count; i++) {
                room.acquire();
                queue.offerAsync(Clients.payload(i, bytes), 1, TimeUnit.HOURS).whenComplete((nothing, thrown) -> {
                    if (thrown != null) {
                        failure.compareAndSet(null, thrown);
                    }
                    room.release();
                    watch.hit();
                });
            }
            String rate = watch.rate();
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get());
            }
            return rate;
        } finally {
            client.shutdown();
        }
    }
}
