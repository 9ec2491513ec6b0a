package old;

import java.util.*;

/** Compiled for Java 7: an old format, and accessors instead of nestmates. */
public class Legacy implements java.io.Serializable, Comparator<Legacy> {
    private List<Map<String, Integer[]>> lists;
    private int a;
    private static boolean b;

    public enum Kind { ONE { void m() {} }, TWO; void m() {} }

    class Inside implements java.io.Serializable { int x = a + (b ? 1 : 0); }

    public int compare(Legacy x, Legacy y) {
        assert x != y;
        Object o = new Object() { public String toString() { return "" + a; } };
        return Legacy.class.getName().compareTo(o.toString());
    }
}
