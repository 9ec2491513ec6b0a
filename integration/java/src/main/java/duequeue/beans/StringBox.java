package duequeue.beans;

/** Binds the type parameter of its base. */
public class StringBox extends Box<String> {
    private static final long serialVersionUID = 1L;

    public int length;

    public StringBox() {
    }

    StringBox(String value) {
        super(value);
        this.length = value.length();
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
