package duequeue.beans;

import java.io.Serializable;
import java.util.List;

/** Makes graphs: trees, chains and rings. */
public class Node implements Serializable {
    private static final long serialVersionUID = 1L;

    public String name;
    public Node next;
    public List<Node> children;

    public Node() {
    }

    Node(String name) {
        this.name = name;
        this.children = new java.util.ArrayList<>();
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
