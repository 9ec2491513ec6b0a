package demo;

import java.util.List;
import java.util.Map;

/** The answer that every service has. */
public class Result<T> {
    int code;
    String message;
    T data;
    List<T> items;
    Map<String, ? extends T> more;
    Result<? super T> next;
    T[] array;
}
