package duequeue.interop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * What a Java order service does: offers an order to a delayed queue, with
 * Redisson's default codec. Arguments: address, queue, and optionally the delay
 * in seconds (10) and the order's id (100).
 */
public final class OrderProducer {
    private OrderProducer() {
    }

    @SuppressWarnings("deprecation")
    public static void main(String[] args) {
        Config config = new Config();
        config.useSingleServer().setAddress(args[0]).setConnectionMinimumIdleSize(2);
        long seconds = args.length > 2 ? Long.parseLong(args[2]) : 10;

        RedissonClient client = Redisson.create(config);
        RBlockingQueue<Map<String, Object>> queue = client.getBlockingQueue(args[1]);
        RDelayedQueue<Map<String, Object>> delayed = client.getDelayedQueue(queue);

        Map<String, Object> order = new HashMap<>();
        order.put("orderId", args.length > 3 ? args[3] : "100");
        order.put("remark", "其他信息");
        delayed.offer(order, seconds, TimeUnit.SECONDS);
        System.out.println("offered to " + args[1] + ", due in " + seconds + " s: " + order);
        client.shutdown();
    }
}
