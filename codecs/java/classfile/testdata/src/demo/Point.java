package demo;

public record Point(int x, int y, String label) implements java.io.Serializable {
    static final Point ORIGIN = new Point(0, 0, "");
}
