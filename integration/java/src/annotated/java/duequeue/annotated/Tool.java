package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Objects;

/** Names its classes by wrapper arrays, as a class that has objects itself. */
@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS, include = JsonTypeInfo.As.WRAPPER_ARRAY)
@JsonSubTypes({@JsonSubTypes.Type(Saw.class)})
public class Tool {
    public String owner;

    @Override
    public boolean equals(Object other) {
        return other instanceof Tool && Objects.equals(owner, ((Tool) other).owner);
    }

    @Override
    public int hashCode() {
        return getClass().hashCode();
    }
}
