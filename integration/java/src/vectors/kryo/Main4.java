import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Beans of the vectors: nested generics, comparators, names that are not ASCII. */
final class Main4 {
    private Main4() {
    }

    public static class Tree<T> {
        Tree<T> left;
        T v;

        Tree() {
        }

        Tree(T v, Tree<T> l) {
            this.v = v;
            left = l;
        }
    }

    public static class HT {
        Tree<Integer> t = new Tree<>(1, new Tree<>(2, null));
    }

    public static class Sup<A> {
        A a;
        List<A> la;
    }

    public static class Sub<B> extends Sup<B> {
        B b;
        Map<String, B> m;
    }

    public static class HS {
        Sub<Long> s = new Sub<>();

        {
            s.a = 1L;
            s.b = 2L;
            s.la = new ArrayList<>(List.of(3L));
            s.m = new HashMap<>(Map.of("k1", 4L));
        }
    }

    public static class TSL {
        SortedSet<List<String>> s = new TreeSet<>(new Cmp<List<String>>("z1"));

        {
            s.add(new ArrayList<>(List.of("e1")));
        }
    }

    public static class Cmp<T> implements Comparator<Object> {
        T t;

        Cmp() {
        }

        @SuppressWarnings("unchecked")
        Cmp(Object o) {
            t = (T) o;
        }

        @Override
        public int compare(Object a, Object b) {
            return a.toString().compareTo(b.toString());
        }
    }

    public static class 订单 {
        String 名称 = "a1";
        int x = 1;
    }
}
