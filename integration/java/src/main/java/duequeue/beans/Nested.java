package duequeue.beans;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Lists and maps in lists and maps. */
public class Nested implements Serializable {
    private static final long serialVersionUID = 1L;

    public List<List<Integer>> matrix;
    public Map<String, List<Long>> series;
    public Map<String, Map<String, String>> texts;
    public List<Map<String, Object>> rows;
    public TreeMap<String, Integer> sorted;
    public Set<String> names;
    public Object any;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
