package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonValue;

/** An enum that is a number of its own, as MyBatis-Plus has them. */
public enum Code {
    OPEN(10, "open"), PAID(20, "paid"), LOST(-300, "lost"), HUGE(100_000, "huge");

    private final int code;
    private final String text;

    Code(int code, String text) {
        this.text = text;
        this.code = code;
    }

    @JsonValue
    public int getCode() {
        return code;
    }

    public String getText() {
        return text;
    }
}
