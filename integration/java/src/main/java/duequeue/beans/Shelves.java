package duequeue.beans;

import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Containers whose elements have a declared type, down to the second level. */
public class Shelves extends Alike {
    private static final long serialVersionUID = 1L;

    public List<String> texts;
    public List<Long> longs;
    public List<Integer> ints;
    public List<Date> dates;
    public List<UUID> ids;
    public List<Level> levels;
    public List<byte[]> blobs;
    public List<List<Long>> table;
    public Map<String, Long> counts;
    public Map<String, Date> days;
    public Map<String, List<Long>> series;
    public Map<String, Map<String, String>> nested;
    public Map<Long, String> byNumber;
    public Set<String> names;
    public List<Object> mixed;
    public Map<String, Object> attributes;
    public List<String> empty;
}
