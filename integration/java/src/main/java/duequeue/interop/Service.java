package duequeue.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.api.RedissonClient;

/** One Java service: its Redisson client, and those that took over from clients that broke. */
final class Service {
    private final Supplier<RedissonClient> connect;
    private final List<RedissonClient> clients = new ArrayList<>();

    Service(Supplier<RedissonClient> connect) {
        this.connect = connect;
        another();
    }

    /** The client in use, the newest. */
    synchronized RedissonClient client() {
        return clients.get(clients.size() - 1);
    }

    /** Connects once more; the clients before go on with what they have. */
    synchronized RedissonClient another() {
        clients.add(connect.get());
        return client();
    }

    synchronized void shutdown() {
        for (RedissonClient client : clients) {
            client.shutdown(0, 5, TimeUnit.SECONDS);
        }
    }
}
