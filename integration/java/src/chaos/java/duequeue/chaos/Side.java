package duequeue.chaos;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * A Java service on the queue. Arguments: what it does, its name in the ledger, where
 * Redis is (an address, or "cluster ADDRESS …"), the queue, the address and key of the
 * ledger, a seed, the mean pause between offers and the longest delay in ms, the number of
 * takers, and how long a message takes at most in ms.
 *
 * <p>produce: holds the RDelayedQueue, and so transfers, and offers. consume: holds the RDelayedQueue and takes.
 */
public final class Side {
    private final Ledger ledger;
    private final String process;
    private final Random random;
    private volatile boolean ending;

    private Side(Ledger ledger, String process, long seed) {
        this.ledger = ledger;
        this.process = process;
        this.random = new Random(seed ^ process.hashCode());
    }

    @SuppressWarnings("deprecation")
    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger(args[4], args[5], args[1]);
        Side side = new Side(ledger, args[1], Long.parseLong(args[6]));
        int takers = Integer.parseInt(args[9]);
        RedissonClient client = connect(args[2].split(" "), takers + 6);
        ledger.note('c', "-", System.currentTimeMillis()); // no fault strikes before all have written
        RBlockingQueue<String> queue = client.getBlockingQueue(args[3], StringCodec.INSTANCE);
        switch (args[0]) {
            case "produce":
                side.produce(client.getDelayedQueue(queue), Integer.parseInt(args[7]), Integer.parseInt(args[8]));
                break;
            case "consume":
                client.getDelayedQueue(queue);
                side.take(queue, takers, Integer.parseInt(args[10]));
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    private static RedissonClient connect(String[] where, int pool) throws InterruptedException {
        for (;;) {
            try {
                return Redisson.create(config(where, pool));
            } catch (RuntimeException e) { // its Redis is away
                System.err.println(e);
                Thread.sleep(200);
            }
        }
    }

    private static Config config(String[] where, int pool) {
        Config config = new Config();
        if (where[0].equals("cluster")) {
            config.useClusterServers().addNodeAddress(Arrays.copyOfRange(where, 1, where.length)).setScanInterval(1000)
                .setReadMode(ReadMode.MASTER).setMasterConnectionMinimumIdleSize(2).setMasterConnectionPoolSize(pool);
        } else {
            config.useSingleServer().setAddress(where[0]).setConnectionMinimumIdleSize(2).setConnectionPoolSize(pool);
        }
        return config;
    }

    /** Offers until SIGTERM; what was begun is finished. */
    private void produce(RDelayedQueue<String> delayed, int everyMs, int maxDelayMs) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ending = true;
            try {
                done.await(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        for (int i = 1; !ending; i++) {
            Thread.sleep((long) (-Math.log(1 - random.nextDouble()) * everyMs));
            String id = process + "-" + i;
            long delay = random.nextInt(5) == 0 ? 0 : random.nextInt(maxDelayMs + 1);
            String payload = id + " " + "x".repeat(random.nextInt(200));
            ledger.note('o', id, delay);
            try {
                delayed.offer(payload, delay, TimeUnit.MILLISECONDS);
                ledger.note('a', id, "");
            } catch (RuntimeException e) {
                ledger.note('u', id, e.getClass().getName());
            }
        }
        done.countDown();
    }

    private void take(RBlockingQueue<String> queue, int takers, int workMs) {
        for (int i = 0; i < takers; i++) {
            new Thread(() -> takeAll(queue, workMs), "taker-" + i).start();
        }
    }

    private void takeAll(RBlockingQueue<String> queue, int workMs) {
        Random work = new Random(Thread.currentThread().getName().hashCode());
        while (!ending) {
            try {
                String payload = queue.take();
                String id = payload.split(" ", 2)[0];
                ledger.note('s', id, 0);
                Thread.sleep(work.nextInt(workMs + 1));
                ledger.note('f', id, "");
            } catch (Exception e) { // its Redis is away
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
