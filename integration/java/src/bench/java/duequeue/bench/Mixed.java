package duequeue.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * A service among others: it offers to some of very many queues, and takes from some. Messages
 * are named by their origin, phase and number, and carry when they are due in µs.
 */
final class Mixed {
    private static final int SOONEST_MS = 500; // so that the time of the offer itself does not count as lateness
    private static final int LONGEST_MS = 2000;

    /** A queue with its rank by traffic. */
    private static final class Ranked {
        final int rank;
        final RBlockingQueue<String> ready;
        RDelayedQueue<String> delayed;

        Ranked(RedissonClient client, String spec) {
            String[] parts = spec.split("@");
            rank = Integer.parseInt(parts[1]);
            ready = client.getBlockingQueue(parts[0], StringCodec.INSTANCE);
        }
    }

    private final RedissonClient client;
    private final List<Ranked> offered = new ArrayList<>();
    private final double[] weights; // summed up
    private final List<Thread> takers = new ArrayList<>();
    private final List<String> taken = new ArrayList<>();
    private volatile boolean stopped;

    /** Takes from now on. Queues are NAME@RANK,... */
    @SuppressWarnings("deprecation")
    Mixed(String url, String offered, String taken) {
        client = Clients.open(url);
        double sum = 0;
        String[] specs = offered.split(",");
        weights = new double[specs.length];
        for (int i = 0; i < specs.length; i++) {
            Ranked queue = new Ranked(client, specs[i]);
            queue.delayed = client.getDelayedQueue(queue.ready);
            this.offered.add(queue);
            sum += 1.0 / (queue.rank + 1);
            weights[i] = sum;
        }
        for (String spec : taken.split(",")) {
            Ranked queue = new Ranked(client, spec);
            Thread taker = new Thread(() -> takeAll(queue), "taker-" + queue.rank);
            taker.setDaemon(true);
            taker.start();
            takers.add(taker);
        }
    }

    private void takeAll(Ranked queue) {
        while (!stopped) {
            try {
                String payload = queue.ready.poll(1, TimeUnit.SECONDS);
                if (payload == null) {
                    continue;
                }
                int cut = payload.lastIndexOf(':');
                long late = micros() - Long.parseLong(payload.substring(cut + 1));
                synchronized (taken) {
                    taken.add(payload.substring(0, cut) + ":" + queue.rank + ":" + late);
                }
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    /** Offers in turn with a delay and without; answers how many of each. */
    String offer(int phase, int rate, int seconds) throws Exception {
        int each = rate * seconds / 2;
        Random random = new Random();
        long began = System.nanoTime();
        for (int i = 0; i < each; i++) {
            long until = began + i * 2_000_000_000L / rate;
            TimeUnit.NANOSECONDS.sleep(until - System.nanoTime());
            long delay = SOONEST_MS + random.nextInt(LONGEST_MS - SOONEST_MS);
            long due = (System.currentTimeMillis() + delay) * 1000;
            draw(random).delayed.offer("java-offer:" + phase + ":" + i + ":" + due, delay, TimeUnit.MILLISECONDS);
            draw(random).ready.add("java-add:" + phase + ":" + i + ":" + micros());
        }
        return String.valueOf(each);
    }

    private Ranked draw(Random random) {
        double at = random.nextDouble() * weights[weights.length - 1];
        int i = 0;
        while (i < weights.length - 1 && weights[i] <= at) {
            i++;
        }
        return offered.get(i);
    }

    /** Answers what was taken since it was asked last. */
    String taken() {
        synchronized (taken) {
            String text = String.join(" ", taken);
            taken.clear();
            return text;
        }
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread taker : takers) {
            taker.join(3000);
        }
        for (Ranked queue : offered) {
            queue.delayed.destroy();
        }
        client.shutdown();
    }
}
