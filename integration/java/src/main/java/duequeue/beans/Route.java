package duequeue.beans;

import java.util.List;

/** Records in fields and lists. */
public class Route extends Alike {
    private static final long serialVersionUID = 1L;

    public Point from;
    public List<Point> stops;
    public Line line;
}
