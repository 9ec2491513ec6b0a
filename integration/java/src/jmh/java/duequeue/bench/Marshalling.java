package duequeue.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jboss.marshalling.Marshaller;
import org.jboss.marshalling.MarshallerFactory;
import org.jboss.marshalling.MarshallingConfiguration;
import org.jboss.marshalling.SimpleClassResolver;
import org.jboss.marshalling.Unmarshaller;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** JBoss Marshalling (River) as Redisson's MarshallingCodec sets it up, with one marshaller per thread, as there. */
@State(Scope.Thread)
public class Marshalling {
    @Param("order")
    public String payload;

    private Marshaller marshaller;
    private Unmarshaller unmarshaller;
    private byte[] bytes;
    private Object value;

    @Setup
    public void setup() throws Exception {
        MarshallingConfiguration configuration = new MarshallingConfiguration();
        configuration.setInstanceCount(32);
        configuration.setClassCount(16);
        configuration.setClassResolver(new SimpleClassResolver(getClass().getClassLoader()));
        MarshallerFactory factory = org.jboss.marshalling.Marshalling.getProvidedMarshallerFactory("river");
        marshaller = factory.createMarshaller(configuration);
        unmarshaller = factory.createUnmarshaller(configuration);
        value = Payloads.of(payload);
        bytes = Bytes.of("marshalling", payload);
        Bytes.check("River", encode(), bytes);
    }

    @Benchmark
    public Object decode() throws IOException, ClassNotFoundException {
        unmarshaller.start(org.jboss.marshalling.Marshalling.createByteInput(ByteBuffer.wrap(bytes)));
        Object decoded = unmarshaller.readObject();
        unmarshaller.finish();
        unmarshaller.close();
        return decoded;
    }

    @Benchmark
    public byte[] encode() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        marshaller.start(org.jboss.marshalling.Marshalling.createByteOutput(out));
        marshaller.writeObject(value);
        marshaller.finish();
        marshaller.close();
        return out.toByteArray();
    }
}
