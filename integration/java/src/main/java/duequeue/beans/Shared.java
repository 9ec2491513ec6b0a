package duequeue.beans;

import java.io.Serializable;
import java.util.Date;
import java.util.List;

/** Fields that hold the same objects. */
public class Shared implements Serializable {
    private static final long serialVersionUID = 1L;

    public Node left;
    public Node right;
    public List<String> names;
    public List<String> sameNames;
    public Date at;
    public Date sameAt;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
