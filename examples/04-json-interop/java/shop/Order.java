package shop;

import java.util.Date;
import java.util.List;
import java.util.UUID;

public class Order {
    long id;
    Long customerId;
    UUID requestId;
    Status status;
    Date created;
    List<Item> items;
    List<List<Long>> parcels;
    String note;
}
