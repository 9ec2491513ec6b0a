package duequeue.beans;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Enums, with and without bodies, in declared slots and in those that take anything. */
public class Picks extends Alike {
    private static final long serialVersionUID = 1L;

    public Level level;
    public Level none;
    public Step step;
    public List<Level> levels;
    public List<Step> steps;
    public Map<Level, Long> byLevel;
    public Set<Level> set;
    public Object any;
    public Object anyStep;
}
