package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** What names its classes by a member: one name of each way. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({@JsonSubTypes.Type(value = Paid.class, name = "order.paid"), @JsonSubTypes.Type(Expired.class)})
public interface Event {
}
