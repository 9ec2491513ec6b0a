package duequeue.beans;

import java.io.Serializable;
import java.util.Optional;
import java.util.OptionalInt;

/** Fields that are Optional, which only Kryo writes. */
public class Maybe implements Serializable {
    private static final long serialVersionUID = 1L;

    public Optional<String> some;
    public Optional<String> empty;
    public OptionalInt number;
    public String name;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
