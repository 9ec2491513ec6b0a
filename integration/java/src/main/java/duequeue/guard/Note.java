package duequeue.guard;

import java.io.Serializable;

/** A bean with few fields: an id or two, as most payloads have. */
public class Note implements Serializable {
    private static final long serialVersionUID = 1;

    public String orderId;
    public Long userId;

    /** Returns one of several. */
    static Note of(int n) {
        Note note = new Note();
        note.orderId = "A-" + n;
        note.userId = (long) n;
        return note;
    }
}
