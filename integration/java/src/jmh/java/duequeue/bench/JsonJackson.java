package duequeue.bench;

import org.redisson.codec.JsonJacksonCodec;

/** Jackson's JSON by the mapper of Redisson's JsonJacksonCodec. */
public class JsonJackson extends JacksonBench {
    public JsonJackson() {
        super("jackson", new JsonJacksonCodec());
    }
}
