package duequeue.annotated;

import java.util.Objects;

/** A pet. */
public class Cat extends Pet {
    public Integer lives;

    @Override
    public boolean equals(Object other) {
        return other instanceof Cat && Objects.equals(lives, ((Cat) other).lives);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
