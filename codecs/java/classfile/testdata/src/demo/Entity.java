package demo;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;

/** A generic superclass. */
public abstract class Entity<ID extends Comparable<ID>, N extends Number> implements Serializable, Marked {
    protected ID id;
    private Instant created;
    List<N> marks;
    String note;
}
