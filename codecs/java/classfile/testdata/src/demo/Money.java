package demo;

import java.io.Serializable;

/** Final, with a computed serialVersionUID that constructors, methods and a static initializer enter. */
public final class Money implements Serializable, Comparable<Money>, Cloneable {
    static final Money ZERO;
    private static final Object LOCK = new Object();
    private transient int hash;
    private volatile long cents;
    protected String currency;
    public static final int SCALE = 2;

    static {
        ZERO = new Money(0, "EUR");
    }

    private Money() {}

    public Money(long cents, String currency) {
        this.cents = cents;
        this.currency = currency;
    }

    Money(String... parts) {}

    @Override
    public int compareTo(Money o) {
        Runnable r = () -> hash = LOCK.hashCode();
        r.run();
        return Long.compare(cents, o.cents);
    }

    private void secret() {}

    protected synchronized void change(int[][] a, java.util.Map<String, Long> b) throws Exception { cents = a.length + b.size(); }

    static native void far();
}
