package duequeue.beans;

import java.io.Serializable;

/** Carries an exception. */
public class Failure implements Serializable {
    private static final long serialVersionUID = 1L;

    public String code;
    public Throwable cause;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
