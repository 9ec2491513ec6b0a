package duequeue.beans;

import java.io.Serializable;
import java.util.Set;

/** What only Kryo 5.5 and later, in Redisson 3.21, carries both ways: a bound type parameter; and a set in order. */
public class Bound implements Serializable {
    private static final long serialVersionUID = 1L;

    public StringBox box;
    public Set<Integer> order;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
