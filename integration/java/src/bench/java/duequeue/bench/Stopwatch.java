package duequeue.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Times the way from the end of a warm-up, a tenth of all, to the last message. */
final class Stopwatch {
    private final int warm;
    private final int all;
    private final AtomicInteger count = new AtomicInteger();
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile long began;
    private volatile long ended;

    Stopwatch(int all) {
        this.all = all;
        this.warm = all / 10;
    }

    void hit() {
        int n = count.incrementAndGet();
        if (n == warm) {
            began = System.nanoTime();
        }
        if (n == all) {
            ended = System.nanoTime();
            done.countDown();
        }
    }

    boolean finished() {
        return done.getCount() == 0;
    }

    /** Messages a second; waits five minutes at most. */
    String rate() throws InterruptedException {
        final int seconds = 300;
        if (!done.await(seconds, TimeUnit.SECONDS)) {
            throw new IllegalStateException("only " + count + " of " + all + " messages came within " + seconds + " s");
        }
        return String.valueOf((all - warm) * 1e9 / (ended - began));
    }
}
