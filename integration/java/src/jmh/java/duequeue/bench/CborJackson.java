package duequeue.bench;

import org.redisson.codec.CborJacksonCodec;

/** Jackson's CBOR by the mapper of Redisson's CborJacksonCodec. */
public class CborJackson extends JacksonBench {
    public CborJackson() {
        super("cbor", new CborJacksonCodec());
    }
}
