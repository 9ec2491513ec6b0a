package duequeue.anyof;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.redisson.client.codec.BaseCodec;
import org.redisson.client.codec.Codec;
import org.redisson.client.handler.State;
import org.redisson.client.protocol.Decoder;
import org.redisson.client.protocol.Encoder;

/** Writes as the first codec does, and reads what the first of them that can has written. */
public final class AnyOfCodec extends BaseCodec {
    private final Codec[] codecs;

    public AnyOfCodec(Codec... codecs) {
        this.codecs = codecs.clone();
    }

    @Override
    public Encoder getValueEncoder() {
        return codecs[0].getValueEncoder();
    }

    @Override
    public Decoder<Object> getValueDecoder() {
        return this::decode;
    }

    private Object decode(ByteBuf buf, State state) throws IOException {
        int start = buf.readerIndex();
        IOException refused = new IOException("no codec of the list reads it");
        for (Codec codec : codecs) {
            try {
                buf.readerIndex(start);
                Object value = codec.getValueDecoder().decode(buf, state);
                if (!buf.isReadable()) {
                    return value;
                }
                refused.addSuppressed(new IOException(codec + " leaves " + buf.readableBytes() + " bytes"));
            } catch (IOException | RuntimeException e) {
                refused.addSuppressed(e);
            }
        }
        throw refused;
    }

    @Override
    public ClassLoader getClassLoader() {
        return codecs[0].getClassLoader();
    }
}
