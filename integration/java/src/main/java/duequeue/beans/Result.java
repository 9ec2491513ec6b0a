package duequeue.beans;

import java.io.Serializable;

/** What services answer with. */
public class Result<T> implements Serializable {
    private static final long serialVersionUID = 1L;

    public int code;
    public String message;
    public T data;

    public Result() {
    }

    Result(T data) {
        this.code = 200;
        this.message = "code " + code; // a string of its own
        this.data = data;
    }

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
