package duequeue.interop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RFuture;
import org.redisson.api.RQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.codec.Codec;

/**
 * One queue as one Java service sees it. Without {@link #hold} it is a pure
 * consumer, which never transfers; holding makes it a producer, and as Redisson
 * transfers wherever an RDelayedQueue is alive, also a transferring one.
 */
final class Endpoint {
    private final Service service;
    private final RBlockingQueue<Object> ready;
    private final RQueue<Object> destination;
    private RDelayedQueue<Object> delayed;
    private Consumer consumer;

    Endpoint(Service service, String name, Codec codec) {
        RedissonClient client = service.client();
        this.service = service;
        this.ready = codec == null ? client.getBlockingQueue(name) : client.getBlockingQueue(name, codec);
        this.destination = ready;
    }

    /**
     * The same with another kind of queue as the destination, such as PriorityDeque, in the
     * configured codec. Reflection, because no release has all of them.
     */
    @SuppressWarnings("unchecked")
    Endpoint(Service service, String name, String kind) throws ReflectiveOperationException {
        RedissonClient client = service.client();
        this.service = service;
        this.ready = client.getBlockingQueue(name);
        this.destination = (RQueue<Object>) RedissonClient.class.getMethod("get" + kind, String.class).invoke(client, name);
        for (Method method : destination.getClass().getMethods()) {
            if (method.getName().equals("trySetCapacity") && method.getParameterCount() == 1) {
                method.invoke(destination, 10); // a RingBuffer or BoundedBlockingQueue
            }
        }
    }

    /**
     * Makes the delayed queue; from now on this process transfers. Now and then Redisson
     * loses its own lock of subscriptions ("Unable to acquire subscription lock"), and from
     * then on that client takes the queue for transferred, though it is not: another
     * client is needed.
     */
    @SuppressWarnings("deprecation")
    synchronized RDelayedQueue<Object> hold() {
        if (delayed == null) {
            try {
                delayed = service.client().getDelayedQueue(destination);
            } catch (RedisTimeoutException e) {
                System.err.println(ready.getName() + ": " + e.getMessage() + " Another client tries.");
                delayed = service.another().getDelayedQueue(service.client().getBlockingQueue(ready.getName(), ready.getCodec()));
            }
        }
        return delayed;
    }

    /** Ends what {@link #hold} began. */
    synchronized void destroy() {
        if (delayed != null) {
            delayed.destroy();
            delayed = null;
        }
    }

    void offer(Object value, long delayMs) {
        hold().offer(value, delayMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Offers a map that carries the caller's trace context, so that a consumer
     * can link its span to ours. These are the three lines of a Java producer;
     * with OpenTelemetry on the class path the header comes from
     * W3CTraceContextPropagator instead of being built by hand:
     *
     * <pre>
     * W3CTraceContextPropagator.getInstance()
     *     .inject(Context.current(), order, (map, key, value) -&gt; map.put(key, value));
     * delayed.offer(order, 30, TimeUnit.MINUTES);
     * </pre>
     */
    void offerTraced(Map<String, Object> order, long delayMs, String traceId, String spanId) {
        String traceparent = "00-" + traceId + "-" + spanId + "-01";
        order.put("traceparent", traceparent);
        hold().offer(order, delayMs, TimeUnit.MILLISECONDS);
    }

    /** Offers prefix-0 … prefix-(count-1), each with its own random delay up to maxDelayMs. */
    void offerMany(String prefix, int count, int maxDelayMs, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            offer(prefix + "-" + i, random.nextInt(maxDelayMs + 1));
        }
    }

    /**
     * Waits as take() does, but not for ever. The answer is the time of arrival,
     * whether the value equals the expected one as Java sees it, and the value.
     */
    String take(long timeoutMs, Object expected) throws Exception {
        RFuture<Object> taking = ready.takeAsync();
        try {
            Object value = taking.get(timeoutMs, TimeUnit.MILLISECONDS);
            return System.currentTimeMillis() + " " + Objects.equals(value, expected) + " " + Canon.of(value);
        } catch (TimeoutException e) {
            taking.cancel(true);
            throw e;
        }
    }

    RQueue<Object> ready() {
        return destination;
    }

    /** Starts to take everything that falls due, until {@link #stopConsuming}. */
    synchronized void startConsuming() {
        consumer = new Consumer(ready);
        consumer.start();
    }

    /** Ends the loop between two polls, so that nothing popped is forgotten, and returns what came. */
    synchronized List<Object> stopConsuming() throws Exception {
        return consumer.finish();
    }

    synchronized int consumed() {
        return consumer.count();
    }

    private static final class Consumer extends Thread {
        private final RBlockingQueue<Object> queue;
        private final List<Object> values = new ArrayList<>();
        private volatile boolean stopping;
        private Exception failure;

        Consumer(RBlockingQueue<Object> queue) {
            super("consumer");
            this.queue = queue;
        }

        @Override
        public void run() {
            try {
                while (!stopping) {
                    Object value = queue.poll(1, TimeUnit.SECONDS);
                    if (value != null) {
                        add(value);
                    }
                }
            } catch (Exception e) {
                failure = e;
            }
        }

        private synchronized void add(Object value) {
            values.add(value);
        }

        synchronized int count() {
            return values.size();
        }

        List<Object> finish() throws Exception {
            stopping = true;
            join();
            if (failure != null) {
                throw failure;
            }
            return values;
        }
    }
}
