package shop;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;

public class Order extends BaseEntity {
    String orderNo;
    Status status;
    boolean gift;
    Integer points;
    LocalDateTime payBefore;
    List<Item> items;
    Map<String, String> attributes;
}
