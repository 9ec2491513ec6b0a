package duequeue.services;

import cn.hutool.json.JSONUtil;
import com.alibaba.fastjson2.JSONObject;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.gson.Gson;
import java.io.IOException;
import java.math.BigDecimal;
import java.text.SimpleDateFormat;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/** The payloads, and the libraries by which services make JSON. The Go side has the same ones. */
public final class Services {
    private static final long LARGE = 9007199254740993L;
    private static final LocalDateTime LOCAL = LocalDateTime.of(2024, 1, 2, 3, 4, 5);

    private Services() {
    }

    /** Returns a new payload; two calls give equal ones. */
    public static Object of(String name) {
        return switch (name) {
            case "unpaid" -> new Dtos.Unpaid("订单-4711");
            case "visit" -> visit();
            case "localVisit" -> localVisit();
            case "stock" -> stock();
            case "prize" -> prize();
            case "task" -> task();
            case "renamed" -> renamed();
            case "trade" -> trade();
            case "event" -> event();
            case "close" -> close(new Dtos.Close());
            case "localClose" -> localClose();
            case "fastjson" -> filled(new com.alibaba.fastjson.JSONObject());
            case "fastjson2" -> filled(new JSONObject());
            case "zone" -> TimeZone.getDefault().getID();
            case "hutool" -> filled(new cn.hutool.json.JSONObject());
            default -> throw new IllegalArgumentException("no payload called " + name);
        };
    }

    /** Returns the JSON that a library makes of a value. */
    public static String write(String library, Object value) throws IOException {
        return switch (library) {
            case "fastjson" -> com.alibaba.fastjson.JSON.toJSONString(value);
            case "fastjson2" -> com.alibaba.fastjson2.JSON.toJSONString(value);
            case "hutool" -> JSONUtil.toJsonStr(value);
            case "gson" -> new Gson().toJson(value);
            case "spring" -> spring().writeValueAsString(value);
            case "springdates" -> spring().setDateFormat(format()).writeValueAsString(value);
            default -> throw new IllegalArgumentException("no library called " + library);
        };
    }

    /** Reads JSON by a library. */
    public static Object read(String library, String text, Class<?> type) throws IOException {
        return switch (library) {
            case "fastjson" -> com.alibaba.fastjson.JSON.parseObject(text, type);
            case "fastjson2" -> com.alibaba.fastjson2.JSON.parseObject(text, type);
            case "hutool" -> JSONUtil.toBean(text, type);
            case "gson" -> new Gson().fromJson(text, type);
            case "spring" -> spring().readValue(text, type);
            case "springdates" -> spring().setDateFormat(format()).readValue(text, type);
            default -> throw new IllegalArgumentException("no library called " + library);
        };
    }

    /** An ObjectMapper as Spring Boot has it, with Long as text for the sake of browsers. */
    private static ObjectMapper spring() {
        return new ObjectMapper().registerModule(new JavaTimeModule()).disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .registerModule(new SimpleModule().addSerializer(Long.class, ToStringSerializer.instance).addSerializer(Long.TYPE, ToStringSerializer.instance));
    }

    private static SimpleDateFormat format() {
        SimpleDateFormat format = new SimpleDateFormat("yyyy-MM-dd HH:mm:ss");
        format.setTimeZone(TimeZone.getTimeZone("GMT+8"));
        return format;
    }

    private static Date date() {
        return new Date(1704164645000L);
    }

    private static Map<String, Object> filled(Map<String, Object> object) {
        object.put("couponId", LARGE);
        object.put("user", "张三");
        object.put("count", 3);
        return object;
    }

    private static Dtos.Visit visit() {
        Dtos.Visit v = new Dtos.Visit();
        v.link = "http://x.cn/abc";
        v.user = "u-1";
        v.address = "127.0.0.1";
        v.system = "Linux";
        v.browser = "Firefox";
        v.device = "PC";
        v.network = "WIFI";
        v.firstVisit = true;
        v.at = date();
        return v;
    }

    private static Dtos.LocalVisit localVisit() {
        Dtos.LocalVisit v = new Dtos.LocalVisit();
        v.link = "http://x.cn/abc";
        v.firstVisit = false;
        v.at = LOCAL;
        return v;
    }

    private static Dtos.Stock stock() {
        Dtos.Stock s = new Dtos.Stock();
        s.setSku(9011L);
        s.setActivity(LARGE);
        return s;
    }

    private static Dtos.Prize prize() {
        Dtos.Prize p = new Dtos.Prize();
        p.strategy = 100001L;
        p.prize = 101;
        return p;
    }

    private static Dtos.Task task() {
        Dtos.Task t = new Dtos.Task();
        t.id = LARGE;
        t.runAt = LOCAL;
        return t;
    }

    private static Dtos.Renamed renamed() {
        Dtos.Renamed r = new Dtos.Renamed();
        r.orderId = LARGE;
        r.at = date();
        return r;
    }

    private static Dtos.Trade trade() {
        Dtos.Trade t = new Dtos.Trade();
        t.id = LARGE;
        t.count = 2;
        t.note = "其他";
        t.amount = new BigDecimal("100.50");
        t.createdAt = date();
        t.payAt = LOCAL;
        t.state = Dtos.State.PAID;
        Dtos.Item item = new Dtos.Item();
        item.name = "tea";
        item.count = 2;
        t.items = new ArrayList<>(List.of(item));
        t.more = new HashMap<>(Map.of("seller", LARGE));
        return t;
    }

    private static Dtos.Event<Dtos.Prize> event() {
        Dtos.Event<Dtos.Prize> e = new Dtos.Event<>();
        e.topic = "draw";
        e.body = prize();
        e.at = LOCAL;
        return e;
    }

    private static <T extends Dtos.Close> T close(T c) {
        c.orderNumber = LARGE;
        c.at = date();
        c.note = "a < b & 'c'";
        return c;
    }

    private static Dtos.LocalClose localClose() {
        Dtos.LocalClose c = close(new Dtos.LocalClose());
        c.local = LOCAL;
        return c;
    }
}
