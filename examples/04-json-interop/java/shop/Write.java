package shop;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.JsonJacksonCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.codec.LZ4Codec;
import org.redisson.codec.TypedJsonJacksonCodec;

/** Prints what Redisson puts on the queues for one order and one notice. */
public final class Write {
    public static void main(String[] args) throws Exception {
        Item item = new Item();
        item.sku = "tea";
        item.quantity = 2;
        item.price = new BigDecimal("12.50");
        Order order = new Order();
        order.id = 100;
        order.customerId = 42L;
        order.requestId = UUID.fromString("0190a6e4-5b1c-7c3e-9f00-2d6c8a1b3e57");
        order.status = Status.NEW;
        order.created = new Date(1700000000123L);
        order.items = new ArrayList<>(List.of(item));
        order.parcels = new ArrayList<>(List.of(new ArrayList<>(List.of(1L, 2L))));
        String notice = new ObjectMapper().writeValueAsString(new Notice("A-100", 42, List.of("app", "mail")));

        System.out.println(text(new JsonJacksonCodec(), order));
        System.out.println(text(StringCodec.INSTANCE, notice));
        System.out.println(text(new TypedJsonJacksonCodec(Order.class), order));
        System.out.println(ByteBufUtil.hexDump(encode(new LZ4Codec(new Kryo5Codec()), order)));
    }

    private static ByteBuf encode(Codec codec, Object value) throws Exception {
        return codec.getValueEncoder().encode(value);
    }

    private static String text(Codec codec, Object value) throws Exception {
        return encode(codec, value).toString(StandardCharsets.UTF_8);
    }
}
