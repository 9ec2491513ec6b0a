package demo;

public interface Marked extends java.io.Closeable {
    default void close() {}
}
