package duequeue.annotated;

/** A superclass with a getter. */
public abstract class Versioned {
    private int version;

    public int getVersion() {
        return version;
    }

    public void setVersion(int version) {
        this.version = version;
    }
}
