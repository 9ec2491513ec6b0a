package duequeue.beans;

import java.util.List;
import java.util.Map;

/** Fields that hold subclasses, and objects of a final class. */
public class Drawing extends Alike {
    private static final long serialVersionUID = 1L;

    public Shape main;
    public List<Shape> all;
    public Map<String, Shape> named;
    public Object any;
    public Spot corner;
    public List<Spot> corners;
}
