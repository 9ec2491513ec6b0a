package duequeue.beans;

import java.util.Date;
import java.util.List;
import java.util.Map;

/** What an Avro schema describes. */
public class Reading extends Alike {
    private static final long serialVersionUID = 1L;

    public long id;
    public Integer count;
    public String sensor;
    public String note;
    public double value;
    public float error;
    public boolean valid;
    public Level level;
    public Date at;
    public byte[] raw;
    public List<String> tags;
    public Map<String, Long> totals;
    public Spot place;
    public List<Spot> places;
}
