package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonProperty;

/** An enum whose constants have names in JSON. */
public enum Stage {
    @JsonProperty("open")
    OPEN,
    @JsonProperty("all done")
    DONE,
    LOST
}
