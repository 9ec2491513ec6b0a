package duequeue.beans;

import java.io.Serializable;
import java.util.List;

/** A value of any class, alone and in a list. */
public class Box<T> implements Serializable {
    private static final long serialVersionUID = 1L;

    public T value;
    public List<T> all;

    public Box() {
    }

    Box(T value) {
        this.value = value;
        this.all = new java.util.ArrayList<>(List.of(value));
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
