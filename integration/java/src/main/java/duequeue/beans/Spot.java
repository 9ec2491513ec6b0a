package duequeue.beans;

/** A class that nothing can extend, and with fields that every codec sees. */
public final class Spot extends Alike {
    private static final long serialVersionUID = 1L;

    public String city;
    public int number;

    public Spot() {
    }

    Spot(String city, int number) {
        this.city = city;
        this.number = number;
    }
}
