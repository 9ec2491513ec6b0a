package duequeue.beans;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Enums, with and without bodies, alone and in containers. */
public class Choices implements Serializable {
    private static final long serialVersionUID = 1L;

    public Level level;
    public Level none;
    public Step step;
    public List<Level> levels;
    public List<Step> steps;
    public Map<Level, Integer> counts;
    public Set<Level> set;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
