package com.example.orders;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RBlockingDeque;
import org.redisson.api.RedissonClient;
import org.springframework.boot.CommandLineRunner;
import org.springframework.stereotype.Component;

/** Takes from each queue in a thread of its own, and calls the bean of its code. */
@Component
public class DelayQueueRunner implements CommandLineRunner {
    private final RedissonClient redisson;
    private final Map<String, DelayHandler> handlers;
    private final Map<QueueCode, Boolean> off = new java.util.concurrent.ConcurrentHashMap<>();

    public DelayQueueRunner(RedissonClient redisson, Map<String, DelayHandler> handlers) {
        this.redisson = redisson;
        this.handlers = handlers;
    }

    @Override
    public void run(String... args) {
        for (QueueCode code : QueueCode.values()) {
            RBlockingDeque<Order> queue = redisson.getBlockingDeque(code.name());
            redisson.getDelayedQueue(queue); // this process transfers from now on
            Thread thread = new Thread(() -> take(code, queue), "delay-queue-" + code);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Lets this service take from a queue, or leave it to others. */
    void consume(QueueCode code, boolean on) {
        off.put(code, !on);
    }

    void offer(QueueCode code, Order order, long delayMs) {
        RBlockingDeque<Order> queue = redisson.getBlockingDeque(code.name());
        redisson.getDelayedQueue(queue).offer(order, delayMs, TimeUnit.MILLISECONDS);
    }

    private void take(QueueCode code, RBlockingDeque<Order> queue) {
        DelayHandler handler = handlers.get(code.bean());
        while (true) {
            try {
                if (off.getOrDefault(code, false)) {
                    Thread.sleep(20);
                    continue;
                }
                Order order = queue.poll(200, TimeUnit.MILLISECONDS);
                if (order != null) {
                    handler.execute(order);
                }
            } catch (Exception e) {
                System.err.println("could not take from " + code + ": " + e);
            }
        }
    }
}
