package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** An enum by a value of its own. */
public enum Grade {
    GOOD("g"), BAD("b");

    private final String code;

    Grade(String code) {
        this.code = code;
    }

    @JsonValue
    public String getCode() {
        return code;
    }

    @JsonCreator
    public static Grade of(String code) {
        return code.equals("g") ? GOOD : BAD;
    }
}
