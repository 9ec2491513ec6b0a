package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import duequeue.beans.Level;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Each of Jackson's annotations that a tag says, but those of java.time: see {@link Dated}. */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
@JsonIgnoreProperties({"forgotten"})
public class Annotated implements Serializable {
    private static final long serialVersionUID = 1;

    @JsonProperty("orderNo")
    String orderId;
    @JsonSerialize(using = ToStringSerializer.class)
    long userId;
    @JsonSerialize(using = ToStringSerializer.class)
    Long boxedId;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    Integer count;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    BigDecimal amount;
    @JsonSerialize(using = ToStringSerializer.class)
    BigInteger huge;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    double rate;
    @JsonSerialize(contentUsing = ToStringSerializer.class)
    List<Long> allIds;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    Map<String, Long> byName;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8")
    Date createTime;
    @JsonFormat(pattern = "yyyy/MM/dd HH:mm:ss.SSS")
    Date utcTime;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS", timezone = "Asia/Shanghai")
    List<Date> allTimes;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    Date textTime;
    @JsonFormat(timezone = "GMT+8")
    Date zonedTime;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    Date numberTime;
    @JsonFormat(pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", timezone = "Asia/Shanghai")
    Calendar calendarTime;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    Level level;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    List<Level> allLevels;
    @JsonInclude(JsonInclude.Include.ALWAYS)
    String always;
    @JsonInclude(JsonInclude.Include.NON_NULL)
    String nonNull;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    String emptyText;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    List<String> emptyList;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    Map<String, Long> emptyMap;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    Long emptyLong;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    int emptyInt;
    @JsonIgnore
    String secret;
    String forgotten;
    Long plainLong;

    private Object[] all() {
        return new Object[] {
            orderId, userId, boxedId, count, amount, huge, rate, allIds, byName, createTime, utcTime, allTimes, textTime, zonedTime, numberTime,
            calendarTime == null ? null : calendarTime.getTimeInMillis(), level, allLevels, always, nonNull,
            emptyText == null ? "" : emptyText, emptyList == null ? List.of() : emptyList, emptyMap == null ? Map.of() : emptyMap,
            emptyLong, emptyInt, plainLong,
        };
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((Annotated) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(orderId);
    }
}
