package duequeue.beans;

import java.io.Serializable;

/** Two values. */
public class Pair<A, B> implements Serializable {
    private static final long serialVersionUID = 1L;

    public A first;
    public B second;

    public Pair() {
    }

    Pair(A first, B second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
