package duequeue.bench;

import org.nustaq.serialization.FSTConfiguration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** FST in its default configuration, as Redisson's FstCodec sets it up. */
@State(Scope.Thread)
public class Fst {
    @Param("order")
    public String payload;

    private FSTConfiguration configuration;
    private byte[] bytes;
    private Object value;

    @Setup
    public void setup() throws Exception {
        configuration = FSTConfiguration.createDefaultConfiguration();
        value = Payloads.of(payload);
        bytes = Bytes.of("fst", payload);
        Bytes.check("FST", encode(), bytes);
    }

    @Benchmark
    public Object decode() {
        return configuration.asObject(bytes);
    }

    @Benchmark
    public byte[] encode() {
        return configuration.asByteArray(value);
    }
}
