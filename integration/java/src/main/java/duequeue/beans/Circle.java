package duequeue.beans;

/** One subclass of {@link Shape}. */
public class Circle extends Shape {
    private static final long serialVersionUID = 1L;

    public double radius;
}
