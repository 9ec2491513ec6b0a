package duequeue.bench;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.redisson.codec.Kryo5Codec;

/** Kryo as Redisson's Kryo5Codec sets it up: what one of its pooled instances does, without the pool. */
@State(Scope.Thread)
public class Kryo5 {
    @Param({"order", "map", "strings100", "nested5"})
    public String payload;

    private Kryo kryo;
    private Input input;
    private Output output;
    private byte[] bytes;
    private Object value;

    /** Makes Redisson's own Kryo. */
    private static final class Maker extends Kryo5Codec {
        Kryo make() throws ClassNotFoundException {
            return createKryo(null, false);
        }
    }

    @Setup
    public void setup() throws Exception {
        kryo = new Maker().make();
        input = new Input(8192);
        output = new Output(8192, -1);
        value = Payloads.of(payload);
        bytes = Bytes.of("kryo5", payload);
        Bytes.check("Kryo", encode(), bytes);
    }

    @Benchmark
    public Object decode() {
        input.setBuffer(bytes);
        return kryo.readClassAndObject(input);
    }

    @Benchmark
    public byte[] encode() {
        output.reset();
        kryo.writeClassAndObject(output, value);
        return output.toBytes();
    }
}
