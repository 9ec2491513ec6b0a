package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;

/** Public fields of java.time. */
public class OpenTimes implements Serializable {
    private static final long serialVersionUID = 1;

    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
    public LocalDateTime local;
    @JsonFormat(pattern = "dd.MM.yyyy")
    public List<LocalDate> days;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8")
    public Instant instant;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ssXXX")
    public OffsetDateTime offset;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    public LocalDateTime numbers;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    public Instant seconds;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    public Duration duration;

    private Object[] all() {
        return new Object[] {local, days, instant, offset, numbers, seconds, duration};
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((OpenTimes) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(local);
    }
}
