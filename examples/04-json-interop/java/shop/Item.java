package shop;

import java.math.BigDecimal;

public class Item {
    String sku;
    int quantity;
    BigDecimal price;
}
