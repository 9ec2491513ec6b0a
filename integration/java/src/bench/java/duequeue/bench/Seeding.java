package duequeue.bench;

import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** Offers by offerAsync, a bounded number at a time, and answers offers a second. */
final class Seeding {
    private Seeding() {
    }

    /** Each delay is delayMs and, where spreadMs is not 0, a random time up to that more. */
    @SuppressWarnings("deprecation")
    static String offer(String url, String name, int count, int bytes, int inFlight, long delayMs, long spreadMs)
            throws Exception {
        RedissonClient client = Clients.open(url);
        try {
            RDelayedQueue<String> queue = client.getDelayedQueue(client.getBlockingQueue(name, StringCodec.INSTANCE));
            Random random = new Random(1);
            Semaphore room = new Semaphore(inFlight);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Stopwatch watch = new Stopwatch(count);
            for (int i = 0; i < count; i++) {
                long delay = delayMs + (spreadMs == 0 ? 0 : random.nextInt((int) spreadMs));
                room.acquire();
                RFuture<Void> offer = queue.offerAsync(Clients.payload(i, bytes), delay, TimeUnit.MILLISECONDS);
                offer.whenComplete((nothing, thrown) -> {
                    if (thrown != null) {
                        failure.compareAndSet(null, thrown);
                    }
                    room.release();
                    watch.hit();
                });
            }
            String rate = watch.rate(300);
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get());
            }
            return rate;
        } finally {
            client.shutdown();
        }
    }
}
