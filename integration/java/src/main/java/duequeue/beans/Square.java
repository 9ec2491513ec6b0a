package duequeue.beans;

/** Another subclass of {@link Shape}. */
public class Square extends Shape {
    private static final long serialVersionUID = 1L;

    public Long side;
}
