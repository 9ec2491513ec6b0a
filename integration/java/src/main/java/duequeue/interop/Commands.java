package duequeue.interop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.config.Config;

/** What the driver can be told to do. A value is JSON as {@link Canon} writes it, or {@code @name} for a sample. */
final class Commands {
    private final Map<String, Service> services = new ConcurrentHashMap<>();
    private final Map<String, Endpoint> endpoints = new ConcurrentHashMap<>();
    private final Map<String, Partitions> partitions = new ConcurrentHashMap<>();
    private final Map<String, Locks> locks = new ConcurrentHashMap<>();
    private final Map<String, Codec> codecs = new ConcurrentHashMap<>();

    /** Runs one command line and returns its answer. */
    String run(String line) throws Exception {
        String[] verbAndRest = line.split(" ", 2);
        String rest = verbAndRest.length > 1 ? verbAndRest[1] : "";
        String verb = verbAndRest[0];
        int dot = verb.indexOf('.');
        if (dot < 0) {
            return top(verb, rest);
        }
        return switch (verb.substring(0, dot)) {
            case "ready" -> look(endpoint(head(rest)).ready(), verb.substring(dot + 1), tail(rest));
            case "delayed" -> look(endpoint(head(rest)).hold(), verb.substring(dot + 1), tail(rest));
            case "partitions" -> onPartitions(verb.substring(dot + 1), head(rest), tail(rest));
            case "consume" -> consume(endpoint(head(rest)), verb.substring(dot + 1));
            case "locks" -> onLocks(verb.substring(dot + 1), head(rest), tail(rest));
            default -> throw new IllegalArgumentException("no command " + verb);
        };
    }

    private String top(String verb, String rest) throws Exception {
        switch (verb) {
            case "now":
                return Long.toString(System.currentTimeMillis());
            case "sample":
                return Canon.of(Samples.of(rest));
            case "open": // client, URL
                services.put(head(rest), new Service(() -> connect(tail(rest))));
                return "";
            case "close": // client
                services.remove(rest).shutdown();
                return "";
            case "queue": // endpoint, client, codec, queue name
                String[] args = rest.split(" ", 4);
                endpoints.put(args[0], new Endpoint(services.get(args[1]), args[3], Codecs.of(args[2])));
                return "";
            case "kind": // endpoint, client, kind of the destination, queue name
                String[] kind = rest.split(" ", 4);
                endpoints.put(kind[0], new Endpoint(services.get(kind[1]), kind[3], kind[2]));
                return "";
            case "encode": // codec, value
                return Codecs.encode(codec(head(rest)), value(tail(rest)));
            case "decode": // codec, hex
                return Canon.of(Codecs.decode(codec(head(rest)), tail(rest)));
            case "readback": // codec, value
                return readBack(codec(head(rest)), value(tail(rest)));
            case "present": // codecs
                return String.join(" ", Codecs.present(rest.split(" ")));
            case "settings":
                return Canon.quote(Configurations.settings());
            case "configuration": // yaml or json, text of the file as a value
                return Canon.quote(Configurations.read(head(rest), (String) value(tail(rest))));
            case "equal": // codec, hex, value
                Object decoded = Codecs.decode(codec(head(rest)), head(tail(rest)));
                return Objects.deepEquals(decoded, value(tail(tail(rest)))) + " " + Canon.of(decoded);
            default:
                return onEndpoint(verb, endpoint(head(rest)), tail(rest));
        }
    }

    private String onEndpoint(String verb, Endpoint endpoint, String rest) throws Exception {
        switch (verb) {
            case "hold":
                endpoint.hold();
                return "";
            case "destroy":
                endpoint.destroy();
                return "";
            case "offer": // delay in ms, value
                endpoint.offer(value(tail(rest)), Long.parseLong(head(rest)));
                return "";
            case "offerTraced": // delay in ms, trace id, span id, map
                String[] traced = rest.split(" ", 4);
                @SuppressWarnings("unchecked")
                Map<String, Object> order = (Map<String, Object>) value(traced[3]);
                endpoint.offerTraced(order, Long.parseLong(traced[0]), traced[1], traced[2]);
                return "";
            case "offerMany": // prefix, count, highest delay in ms, seed
                String[] many = rest.split(" ", 4);
                endpoint.offerMany(many[0], Integer.parseInt(many[1]), Integer.parseInt(many[2]), Long.parseLong(many[3]));
                return "";
            case "take": // timeout in ms, expected value
                return endpoint.take(Long.parseLong(head(rest)), value(tail(rest)));
            default:
                throw new IllegalArgumentException("no command " + verb);
        }
    }

    /** The queue methods that look at or touch single elements, alike for the ready and the delayed queue. */
    private String look(RQueue<Object> queue, String verb, String rest) throws Exception {
        return switch (verb) {
            case "size" -> Integer.toString(queue.size());
            case "contains" -> Boolean.toString(queue.contains(value(rest)));
            case "remove" -> Boolean.toString(queue.remove(value(rest)));
            case "containsAll" -> Boolean.toString(queue.containsAll((Collection<?>) value(rest)));
            case "removeAll" -> Boolean.toString(queue.removeAll((Collection<?>) value(rest)));
            case "retainAll" -> Boolean.toString(queue.retainAll((Collection<?>) value(rest)));
            case "readAll" -> list(queue.readAll());
            case "peek" -> Canon.of(queue.peek());
            case "poll" -> Canon.of(queue.poll());
            case "pollMany" -> list(pollMany(queue, Integer.parseInt(rest)));
            default -> throw new IllegalArgumentException("no queue method " + verb);
        };
    }

    /** poll(limit), which came with 3.11.6: by reflection, since older releases compile this, too. */
    @SuppressWarnings("unchecked")
    private static List<Object> pollMany(RQueue<Object> queue, int limit) throws ReflectiveOperationException {
        return (List<Object>) queue.getClass().getMethod("poll", int.class).invoke(queue, limit);
    }

    private String onPartitions(String verb, String name, String rest) throws Exception {
        if (verb.equals("open")) { // client, codec, number, queue name
            String[] of = rest.split(" ", 4);
            partitions.put(name, new Partitions(services.get(of[0]).client(), Codecs.of(of[1]), of[3], Integer.parseInt(of[2])));
            return "";
        }
        Partitions queue = partitions.get(name);
        switch (verb) {
            case "offer": // delay in ms, value
                queue.offer(value(tail(rest)), Long.parseLong(head(rest)));
                return "";
            case "offerKey": // key, delay in ms, value
                queue.offer(head(rest), value(tail(tail(rest))), Long.parseLong(head(tail(rest))));
                return "";
            case "take":
                queue.take();
                return "";
            case "taken":
                return list(queue.taken());
            case "stop":
                queue.stop();
                return "";
            default:
                throw new IllegalArgumentException("no command of partitions " + verb);
        }
    }

    private String onLocks(String verb, String holder, String rest) throws Exception {
        if (verb.equals("open")) { // client
            locks.put(holder, new Locks(services.get(rest).client()));
            return "";
        }
        return locks.get(holder).run(verb, rest);
    }

    private String consume(Endpoint endpoint, String verb) throws Exception {
        switch (verb) {
            case "start":
                endpoint.startConsuming();
                return "";
            case "count":
                return Integer.toString(endpoint.consumed());
            case "stop":
                return list(endpoint.stopConsuming());
            default:
                throw new IllegalArgumentException("no consumer command " + verb);
        }
    }

    /** Tells whether a codec reads what it writes itself. */
    private static String readBack(Codec codec, Object value) {
        String hex;
        try {
            hex = Codecs.encode(codec, value);
        } catch (Exception | LinkageError e) {
            return "write " + e.getClass().getName();
        }
        try {
            Object read = Codecs.decode(codec, hex);
            return Objects.deepEquals(read, value) ? "equal" : "other " + Canon.of(read);
        } catch (Exception | LinkageError e) {
            return "read " + e.getClass().getName();
        }
    }

    private static String list(List<Object> values) {
        return Canon.of(new ArrayList<>(values));
    }

    private static RedissonClient connect(String url) {
        Config config = new Config();
        // Two idle connections at least: with one, a blocked take() of 3.16.8
        // starves its own transfer.
        config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(4).setConnectionPoolSize(16);
        config.setLockWatchdogTimeout(3000); // locks outlive it in seconds
        return Redisson.create(config);
    }

    private Endpoint endpoint(String name) {
        Endpoint endpoint = endpoints.get(name);
        if (endpoint == null) {
            throw new IllegalArgumentException("no queue opened as " + name);
        }
        return endpoint;
    }

    private Codec codec(String name) throws ReflectiveOperationException {
        Codec codec = codecs.get(name);
        if (codec == null) {
            codec = Codecs.of(name);
            codecs.put(name, codec);
        }
        return codec;
    }

    private static Object value(String text) throws ReflectiveOperationException {
        return text.startsWith("@") ? Samples.of(text.substring(1)) : CanonReader.read(text);
    }

    private static String head(String text) {
        int space = text.indexOf(' ');
        return space < 0 ? text : text.substring(0, space);
    }

    private static String tail(String text) {
        int space = text.indexOf(' ');
        return space < 0 ? "" : text.substring(space + 1);
    }
}
