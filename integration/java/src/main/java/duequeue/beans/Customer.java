package duequeue.beans;

import java.time.LocalDate;
import java.util.List;

/** Extends a bean, and has a field whose name its base has too. */
public class Customer extends Entity {
    private static final long serialVersionUID = 1L;

    public String name;
    public Level level;
    public LocalDate since;
    public Address home;
    public Address work;
    public List<Address> others;

    public Customer() {
    }

    Customer(Long id, String baseName, int version) {
        super(id, baseName, version);
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
