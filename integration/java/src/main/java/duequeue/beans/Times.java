package duequeue.beans;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.UUID;

/** The classes of java.time, and a UUID. */
public class Times implements Serializable {
    private static final long serialVersionUID = 1L;

    public LocalDate day;
    public LocalTime time;
    public LocalDateTime at;
    public Instant instant;
    public Duration took;
    public OffsetDateTime offset;
    public ZonedDateTime zoned;
    public UUID uuid;
    public LocalDateTime none;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
