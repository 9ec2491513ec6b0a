package duequeue.beans;

import java.math.BigDecimal;

/** The third level of inheritance; its version is a second one. */
public class Vip extends Customer {
    private static final long serialVersionUID = 1L;

    public BigDecimal limit;
    private int version;

    public Vip() {
    }

    Vip(Long id, String baseName, int baseVersion, int version) {
        super(id, baseName, baseVersion);
        this.version = version;
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
