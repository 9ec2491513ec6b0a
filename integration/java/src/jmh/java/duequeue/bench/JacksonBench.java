package duequeue.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.redisson.codec.JsonJacksonCodec;

/** Jackson with the mapper of one of Redisson's codecs, without its buffers. */
@State(Scope.Thread)
public abstract class JacksonBench {
    @Param("order")
    public String payload;

    private final String directory;
    private final JsonJacksonCodec codec;
    private ObjectMapper mapper;
    private byte[] bytes;
    private Object value;

    JacksonBench(String directory, JsonJacksonCodec codec) {
        this.directory = directory;
        this.codec = codec;
    }

    @Setup
    public void setup() throws Exception {
        mapper = codec.getObjectMapper();
        value = Payloads.of(payload);
        bytes = Bytes.of(directory, payload);
        Bytes.check(codec.getClass().getSimpleName(), encode(), bytes);
    }

    @Benchmark
    public Object decode() throws IOException {
        return mapper.readValue(bytes, Object.class);
    }

    @Benchmark
    public byte[] encode() throws IOException {
        return mapper.writeValueAsBytes(value);
    }
}
