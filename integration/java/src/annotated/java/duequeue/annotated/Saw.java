package duequeue.annotated;

import java.util.Objects;

/** A tool. */
public class Saw extends Tool {
    public Long teeth;

    @Override
    public boolean equals(Object other) {
        return other instanceof Saw && Objects.equals(teeth, ((Saw) other).teeth);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
