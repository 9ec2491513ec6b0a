package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import duequeue.beans.Level;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Date;
import java.util.List;
import java.util.Objects;

/** Public fields, which the codecs of Jackson 3 write too, with annotations that they know. */
public class Open implements Serializable {
    private static final long serialVersionUID = 1;

    @JsonProperty("order_id")
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    public long orderId;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    public BigDecimal amount;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8")
    public Date created;
    @JsonFormat(pattern = "yyyy/MM/dd")
    public Date day;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    public Date number;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    public Date text;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    public Level level;
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public String always;
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public String nonNull;
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public List<String> empty;
    @JsonIgnore
    public String secret;

    private Object[] all() {
        return new Object[] {orderId, amount, created, day, number, text, level, always, nonNull};
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((Open) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(orderId);
    }
}
