package duequeue.beans;

import java.io.Serializable;

/** The base of the inheritance beans; its subclasses repeat names of its fields. */
public class Entity implements Serializable {
    private static final long serialVersionUID = 1L;

    public Long id;
    protected String name;
    private int version;

    public Entity() {
    }

    Entity(Long id, String name, int version) {
        this.id = id;
        this.name = name;
        this.version = version;
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
