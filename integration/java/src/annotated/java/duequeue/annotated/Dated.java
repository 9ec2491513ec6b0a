package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Objects;

/** Formats of java.time, for mappers that have JavaTimeModule. */
public class Dated implements Serializable {
    private static final long serialVersionUID = 1;

    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
    LocalDateTime local;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm", timezone = "GMT+8")
    LocalDateTime zonedLocal;
    @JsonFormat(pattern = "yyyy/MM/dd")
    LocalDate day;
    @JsonFormat(pattern = "HH:mm")
    LocalTime clock;
    @JsonFormat(pattern = "dd.MM.yyyy")
    List<LocalDate> days;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "GMT+8")
    Instant instant;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ssXXX", timezone = "UTC")
    OffsetDateTime offset;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss.SSS", timezone = "UTC")
    ZonedDateTime zoned;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    LocalDateTime numbers;
    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    Instant seconds;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    LocalDateTime text;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    Instant textInstant;
    @JsonFormat(shape = JsonFormat.Shape.STRING)
    Duration textDuration;
    LocalDateTime plain;
    OffsetDateTime plainOffset;
    ZonedDateTime plainZoned;
    Instant plainInstant;
    Date plainDate;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss")
    Date mapperDate;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ssXXX")
    OffsetDateTime mapperOffset;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ssZ")
    ZonedDateTime mapperZoned;

    private Object[] all() {
        return new Object[] {
            local, zonedLocal, day, clock, days, instant, offset, zoned, numbers, seconds, text, textInstant, textDuration, plain,
            plainOffset, plainZoned, plainInstant, plainDate, mapperDate, mapperOffset, mapperZoned,
        };
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((Dated) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(local);
    }
}
