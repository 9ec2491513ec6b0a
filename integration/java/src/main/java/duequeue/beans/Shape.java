package duequeue.beans;

/** The base of what a {@link Drawing} holds. */
public class Shape extends Alike {
    private static final long serialVersionUID = 1L;

    public String name;
}
