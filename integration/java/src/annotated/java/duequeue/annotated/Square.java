package duequeue.annotated;

import java.util.Objects;

/** A shape without a name of its own, and final. */
public final class Square extends Shape {
    public int side;

    @Override
    public boolean equals(Object other) {
        return other instanceof Square && Objects.equals(side, ((Square) other).side);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
