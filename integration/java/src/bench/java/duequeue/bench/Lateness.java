package duequeue.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** A service that offers at first and then takes what falls due, noting when. */
final class Lateness {
    private static final String END = "end";
    private final RedissonClient client;
    private final RBlockingQueue<String> ready;
    private final RDelayedQueue<String> delayed;
    private final long[] takenMicros;
    private final CountDownLatch missing;
    private final Thread taker;

    @SuppressWarnings("deprecation")
    Lateness(String url, String name, int count) {
        client = Clients.open(url);
        ready = client.getBlockingQueue(name, StringCodec.INSTANCE);
        delayed = client.getDelayedQueue(ready);
        takenMicros = new long[count];
        missing = new CountDownLatch(count);
        taker = new Thread(this::takeAll, "taker");
        taker.setDaemon(true);
        taker.start();
    }

    private void takeAll() {
        try {
            while (true) {
                String payload = ready.take();
                Instant now = Instant.now();
                if (payload.equals(END)) {
                    return;
                }
                takenMicros[Integer.parseInt(payload.substring(0, 8))] =
                    now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
                missing.countDown();
            }
        } catch (InterruptedException e) {
            e.printStackTrace();
        }
    }

    /** Offers everything, the first due in leadMs, then rate a second; returns when all is offered. */
    void offer(int rate, int leadMs, int bytes) throws Exception {
        long first = System.currentTimeMillis() + leadMs;
        List<RFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < takenMicros.length; i++) {
            long due = first + i * 1000L / rate;
            pending.add(delayed.offerAsync(Clients.payload(i, bytes), due - System.currentTimeMillis(), TimeUnit.MILLISECONDS));
            if (pending.size() == 64) { // in order of due time, with some room for pipelining
                for (RFuture<Void> offer : pending) {
                    offer.get();
                }
                pending.clear();
            }
        }
        for (RFuture<Void> offer : pending) {
            offer.get();
        }
    }

    /** Waits for all and answers when each was taken, in µs. */
    String await(int seconds) throws Exception {
        if (!missing.await(seconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException(missing.getCount() + " of " + takenMicros.length + " messages did not come");
        }
        StringBuilder text = new StringBuilder();
        for (long micros : takenMicros) {
            text.append(text.length() == 0 ? "" : ",").append(micros);
        }
        return text.toString();
    }

    void stop() throws InterruptedException {
        ready.add(END); // a client shuts down slowly while a command blocks
        taker.join(1000);
        delayed.destroy();
        client.shutdown();
    }
}
