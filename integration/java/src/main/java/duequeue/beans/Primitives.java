package duequeue.beans;

import java.io.Serializable;

/** One field of every primitive type. */
public class Primitives implements Serializable {
    private static final long serialVersionUID = 1L;

    public boolean flag;
    public byte tiny;
    public short small;
    public int whole;
    public long large;
    public float single;
    public double exact;
    public char letter;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
