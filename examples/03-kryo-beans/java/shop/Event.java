package shop;

public class Event<T> {
    String type;
    T data;
}
