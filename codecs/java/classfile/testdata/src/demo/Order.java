package demo;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.*;

/** The usual order: most kinds of fields, nested classes, what must be left out. */
public class Order implements Serializable {
    private static final long serialVersionUID = 42L;
    public static int counter;

    private String orderId;
    private long amountCents;
    private Integer qty;
    private boolean paid;
    private Boolean gift;
    private byte level;
    private short shelf;
    private char grade;
    private float weight;
    private double score;
    private Long customerId;
    private Double rate;
    private Character initial;
    private Date createdAt;
    private LocalDateTime paidAt;
    private LocalDate dueOn;
    private Instant seenAt;
    private BigDecimal total;
    private BigInteger big;
    private UUID token;
    private List<String> tags;
    private Set<Long> related;
    private ArrayList<Item> items;
    private Map<String, BigDecimal> prices;
    private TreeMap<Integer, List<Item>> ranked;
    private Color color;
    private Op op;
    private Money money;
    private Address address;
    private Point where;
    private int[] codes;
    private byte[] blob;
    private String[] names;
    private Item[] extra;
    private long[][] grid;
    private Object anything;
    private Number number;
    private List<?> unknown;
    private List<? extends Number> numbers;
    private Map rawMap;
    private Result<Item> result;
    private Locale locale;
    private Currency currency;
    protected Order parent;
    private transient String cached;

    public static class Item implements Serializable {
        String sku;
        int count;
        BigDecimal price;
        Runnable sideEffect;
    }

    public final class Line {
        String text;
        Object outer() { return Order.this.orderId; }
    }

    public enum Status { NEW, PAID, SHIPPED }

    public Status status;
}
