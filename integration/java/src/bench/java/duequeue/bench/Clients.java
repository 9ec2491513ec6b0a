package duequeue.bench;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.config.Config;

/** Clients with Redisson's defaults, and payloads as the Go side makes them. */
final class Clients {
    private Clients() {
    }

    static RedissonClient open(String url) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        return Redisson.create(config);
    }

    static Codec codec(String name) {
        return name.equals("kryo5") ? new Kryo5Codec() : StringCodec.INSTANCE;
    }

    /** Eight digits and padding. */
    static String payload(int number, int bytes) {
        return String.format("%08d", number) + "x".repeat(bytes - 8);
    }
}
