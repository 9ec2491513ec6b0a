package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Names its classes by a field. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.EXISTING_PROPERTY, property = "kind", visible = true)
@JsonSubTypes({@JsonSubTypes.Type(value = Cat.class, name = "cat")})
public abstract class Pet {
    public String kind;
}
