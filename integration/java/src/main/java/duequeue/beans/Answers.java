package duequeue.beans;

import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** Fields of generic classes. */
public class Answers implements Serializable {
    private static final long serialVersionUID = 1L;

    public Result<List<String>> words;
    public Result<Map<String, Integer>> counts;
    public Result<Customer> one;
    public Page<Customer> page;
    public Pair<String, Long> pair;
    public Box<String> text;
    public Box<Integer> number;
    public Box<?> wild;
    public List<Box<String>> boxes;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
