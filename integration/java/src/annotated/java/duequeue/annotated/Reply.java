package duequeue.annotated;

import java.util.Objects;

/** An answer, which has no data where it is an error. */
public class Reply<T> {
    public int code;
    public String message;
    public T data;

    static Reply<Paid> error() {
        Reply<Paid> r = new Reply<>();
        r.code = 500;
        return r;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Reply && Objects.deepEquals(all(), ((Reply<?>) other).all());
    }

    private Object[] all() {
        return new Object[] {code, message, data};
    }

    @Override
    public int hashCode() {
        return code;
    }
}
