package duequeue.bench;

import org.redisson.codec.MsgPackJacksonCodec;

/** Jackson's MessagePack by the mapper of Redisson's MsgPackJacksonCodec. */
public class MsgPackJackson extends JacksonBench {
    public MsgPackJackson() {
        super("msgpack", new MsgPackJacksonCodec());
    }
}
