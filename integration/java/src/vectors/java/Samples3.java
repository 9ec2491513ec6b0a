import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;

/** Classes of the vectors that extend collections. */
final class Samples3 {
    private Samples3() {
    }

    public static class MyMap extends HashMap<Object, Object> {
        private static final long serialVersionUID = 0x4c8da199f2a1352fL;

        int x = 1;
    }

    public static class MyAd extends ArrayDeque<Object> {
        private static final long serialVersionUID = 0x3a7379f339db7d52L;

        int x = 1;
    }

    public static class MyLL extends LinkedList<Object> {
        private static final long serialVersionUID = 0x2f6f82f5aaedfe2eL;

        int x = 1;
    }

    /** Samples3$1, a list built with double braces. */
    static List<Object> braces() {
        return new ArrayList<>() {
            private static final long serialVersionUID = 0xf8b392a7ade65630L;

            {
                add(1);
            }
        };
    }
}
