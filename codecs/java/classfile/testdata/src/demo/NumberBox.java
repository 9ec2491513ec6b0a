package demo;

public class NumberBox<T extends Number & Comparable<T>, U, V extends Comparable<? super V>> implements java.io.Serializable {
    T value;
    U other;
    V third;
    class Inner<X> { X x; T t; }
    Inner<String> inner;
}
