package duequeue.annotated;

import java.util.Objects;

/** A shape with a name. */
public class Circle extends Shape {
    public double radius;

    @Override
    public boolean equals(Object other) {
        return other instanceof Circle && Objects.equals(radius, ((Circle) other).radius);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
