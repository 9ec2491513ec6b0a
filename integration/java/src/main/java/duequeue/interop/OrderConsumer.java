package duequeue.interop;

import java.time.LocalTime;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * What a Java service does that handles due orders: it holds the delayed queue,
 * so that messages are transferred, and takes. Arguments: address, queue, and
 * optionally how many to take before it ends (no end).
 */
public final class OrderConsumer {
    private OrderConsumer() {
    }

    @SuppressWarnings("deprecation")
    public static void main(String[] args) throws InterruptedException {
        Config config = new Config();
        config.useSingleServer().setAddress(args[0]).setConnectionMinimumIdleSize(2);
        long count = args.length > 2 ? Long.parseLong(args[2]) : Long.MAX_VALUE;

        RedissonClient client = Redisson.create(config);
        RBlockingQueue<Object> queue = client.getBlockingQueue(args[1]);
        client.getDelayedQueue(queue);
        System.out.println("waiting for " + args[1]);
        for (long i = 0; i < count; i++) {
            Object order = queue.take();
            System.out.println(LocalTime.now() + " took from " + args[1] + ": " + order);
        }
        client.shutdown();
    }
}
