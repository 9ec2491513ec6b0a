package shop;

import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import org.redisson.codec.Kryo5Codec;

/** Prints the bytes that Redisson puts on the queue for one event. */
public final class Write {
    public static void main(String[] args) throws Exception {
        Item item = new Item();
        item.sku = "tea";
        item.quantity = 2;
        item.price = new BigDecimal("12.50");
        Order order = new Order();
        order.id = 42L;
        order.createdAt = new Date(1700000000123L);
        order.orderNo = "A-100";
        order.status = Status.NEW;
        order.gift = true;
        order.payBefore = LocalDateTime.of(2024, 2, 29, 12, 30);
        order.items = new ArrayList<>(List.of(item));
        order.attributes = new HashMap<>();
        order.attributes.put("channel", "app");
        Event<Order> event = new Event<>();
        event.type = "UNPAID";
        event.data = order;
        System.out.println(ByteBufUtil.hexDump(new Kryo5Codec().getValueEncoder().encode(event)));
    }
}
