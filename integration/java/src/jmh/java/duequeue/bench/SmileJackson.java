package duequeue.bench;

import org.redisson.codec.SmileJacksonCodec;

/** Jackson's Smile by the mapper of Redisson's SmileJacksonCodec. */
public class SmileJackson extends JacksonBench {
    public SmileJackson() {
        super("smile", new SmileJacksonCodec());
    }
}
