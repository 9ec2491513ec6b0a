package duequeue.beans;

/** An enum without bodies. */
public enum Level {
    BASIC, SILVER, GOLD
}
