package duequeue.beans;

import java.io.Serializable;

/** The base of the documents: equal when class and fields are. */
public abstract class Alike implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
