package duequeue.beans;

import java.io.Serializable;

/** A record of primitives. */
public record Point(int y, int x) implements Serializable {
}
