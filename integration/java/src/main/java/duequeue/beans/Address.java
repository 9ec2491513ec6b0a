package duequeue.beans;

import java.io.Serializable;

/** A class that nothing can extend, as Kotlin and Lombok make them. */
public final class Address implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String street;
    private final String city;
    private final int number;

    @SuppressWarnings("unused") // Kryo of 3.19.2 makes objects by it
    private Address() {
        this(null, null, 0);
    }

    Address(String street, String city, int number) {
        this.street = street;
        this.city = city;
        this.number = number;
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
