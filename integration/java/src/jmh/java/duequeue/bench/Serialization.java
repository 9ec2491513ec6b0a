package duequeue.bench;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** java.io, a stream for every value as in Redisson's SerializationCodec. */
@State(Scope.Thread)
public class Serialization {
    @Param("order")
    public String payload;

    private byte[] bytes;
    private Object value;

    @Setup
    public void setup() throws Exception {
        value = Payloads.of(payload);
        bytes = Bytes.of("serialization", payload);
        Bytes.check("java.io", encode(), bytes);
    }

    @Benchmark
    public Object decode() throws IOException, ClassNotFoundException {
        return new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject();
    }

    @Benchmark
    public byte[] encode() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        ObjectOutputStream objects = new ObjectOutputStream(out);
        objects.writeObject(value);
        objects.close();
        return out.toByteArray();
    }
}
