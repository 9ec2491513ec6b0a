package duequeue.beans;

import java.io.Serializable;
import java.util.List;

/** Rows of one kind of entity. */
public class Page<T extends Entity> implements Serializable {
    private static final long serialVersionUID = 1L;

    public List<T> rows;
    public long total;

    public Page() {
    }

    Page(List<T> rows) {
        this.rows = rows;
        this.total = rows.size();
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
