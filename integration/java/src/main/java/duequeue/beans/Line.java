package duequeue.beans;

import java.io.Serializable;
import java.util.List;

/** A record of objects, also of another record. */
public record Line(Point from, Point to, List<String> labels, Level level, Integer weight, Object extra, long length) implements Serializable {
}
