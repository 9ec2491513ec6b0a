package duequeue.interop;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** One holder of locks: a thread of a Java service, since RLock knows holders by their threads. */
final class Locks {
    private final RedissonClient client;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread t = new Thread(task);
        t.setDaemon(true);
        return t;
    });

    Locks(RedissonClient client) {
        this.client = client;
    }

    /** Runs a command of the holder's thread. */
    String run(String verb, String rest) throws Exception {
        return thread.submit(() -> command(verb, rest)).get();
    }

    private String command(String verb, String rest) throws Exception {
        String[] args = rest.split(" ");
        RLock lock = client.getLock(args[0]);
        switch (verb) {
            case "lock": // name, lease in ms, -1 for the watchdog
                lock.lock(Long.parseLong(args[1]), TimeUnit.MILLISECONDS);
                return "";
            case "try": // name, wait in ms
                return Boolean.toString(lock.tryLock(Long.parseLong(args[1]), TimeUnit.MILLISECONDS));
            case "unlock":
                lock.unlock();
                return "";
            case "force":
                return Boolean.toString(lock.forceUnlock());
            case "read": // a hold of a read-write lock
                client.getReadWriteLock(args[0]).readLock().lock();
                return "";
            case "fenced": // the token of a fenced lock, which is taken and released
                RLock fenced = (RLock) RedissonClient.class.getMethod("getFencedLock", String.class).invoke(client, args[0]);
                fenced.lock();
                Object token = fenced.getClass().getMethod("getToken").invoke(fenced);
                fenced.unlock();
                return token.toString();
            case "raise": // name, key of a counter, how often
                RBucket<String> counter = client.getBucket(args[1], StringCodec.INSTANCE);
                for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                    lock.lock();
                    try {
                        counter.set(Integer.toString(Integer.parseInt(counter.get()) + 1));
                    } finally {
                        lock.unlock();
                    }
                }
                return "";
            default:
                throw new IllegalArgumentException("no command of locks " + verb);
        }
    }
}
