package duequeue.services;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.datatype.jsr310.deser.LocalDateTimeDeserializer;
import com.fasterxml.jackson.datatype.jsr310.ser.LocalDateTimeSerializer;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.Date;
import java.util.List;
import java.util.Map;

/** Payloads of the shapes that public services put into delayed queues. */
final class Dtos {
    private Dtos() {
    }

    /** Has a builder and no default constructor. */
    public static class Unpaid extends Dto {
        public String orderId;

        Unpaid(String orderId) {
            this.orderId = orderId;
        }
    }

    /** One visit of a link. */
    public static class Visit extends Dto {
        public String link;
        public String user;
        public String address;
        public String system;
        public String browser;
        public String device;
        public String network;
        public Boolean firstVisit;
        public Boolean fromToday;
        public Date at;
    }

    /** The same by java.time. */
    public static class LocalVisit extends Dto {
        public String link;
        public String user;
        public Boolean firstVisit;
        public LocalDateTime at;
    }

    /** What is in stock, with getters. */
    public static class Stock extends Dto {
        private Long sku;
        private Long activity;

        public Long getSku() {
            return sku;
        }

        public void setSku(Long sku) {
            this.sku = sku;
        }

        public Long getActivity() {
            return activity;
        }

        public void setActivity(Long activity) {
            this.activity = activity;
        }
    }

    /** A prize of a draw. */
    public static class Prize extends Dto {
        public Long strategy;
        public Integer prize;
    }

    /** A task with a format on its time. */
    public static class Task extends Dto {
        public Long id;
        @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
        @JsonSerialize(using = LocalDateTimeSerializer.class)
        @JsonDeserialize(using = LocalDateTimeDeserializer.class)
        public LocalDateTime runAt;
    }

    /** Annotated fields. */
    public static class Renamed extends Dto {
        @JsonProperty("order_id")
        public Long orderId;
        @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8")
        public Date at;
        @JsonIgnore
        public String secret;
    }

    /** The state of an order. */
    public enum State { OPEN, PAID }

    /** A line of an order. */
    public static class Item extends Dto {
        public String name;
        public Integer count;
    }

    /** An order with what orders have. */
    public static class Trade extends Dto {
        public Long id;
        public Integer count;
        public String note;
        public BigDecimal amount;
        public Date createdAt;
        public LocalDateTime payAt;
        public State state;
        public List<Item> items;
        public Map<String, Object> more;
    }

    /** An event of a starter for Spring. */
    public static class Event<T> extends Dto {
        public String topic;
        public T body;
        public LocalDateTime at;
    }

    /** What a service turns into JSON by itself. */
    public static class Close extends Dto {
        public Long orderNumber;
        public Date at;
        public String note;
    }

    /** The same with a time that Gson does not know. */
    public static class LocalClose extends Close {
        public LocalDateTime local;
    }
}
