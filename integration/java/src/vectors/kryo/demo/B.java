package demo;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Beans of the vectors. Names of classes and fields are part of the vectors, and so stay as they are. */
public class B {
    public enum Color { RED, GREEN, BLUE }

    public enum Op {
        ADD {
            @Override
            int f() {
                return 1;
            }
        },
        SUB {
            @Override
            int f() {
                return 2;
            }
        };

        abstract int f();
    }

    public static class Types {
        BigDecimal bd = new BigDecimal("12.34");
        Object obj = "o";
        Date date = new Date(1000);
        LocalDate ld = LocalDate.of(2024, 2, 29);
        LocalDateTime nldt = null;
        Color color = Color.GREEN;
        Op op = Op.SUB;
        Number num = 7;
        int[] ia = {1, -1};
        String[] sa = {"ab", null};
        Object[] oa = {1, "ab"};
        UUID uuid = new UUID(1, 2);
        Optional<String> opt = Optional.of("hi");
        CharSequence cs = "seq";
        Inner in = new Inner(3);
        FinalInner fi = new FinalInner(4);
        FinalInner nfi = null;
    }

    public static class Inner {
        int v;

        public Inner() {
        }

        public Inner(int v) {
            this.v = v;
        }
    }

    public static final class FinalInner {
        int v;

        public FinalInner() {
        }

        public FinalInner(int v) {
            this.v = v;
        }
    }

    public static class Box<T> {
        T value;
        List<T> list = new ArrayList<>();

        public Box() {
        }

        public Box(T t) {
            value = t;
            list.add(t);
        }
    }

    public static class Pair<A, B2> {
        A a;
        B2 b;

        public Pair() {
        }

        public Pair(A a, B2 b) {
            this.a = a;
            this.b = b;
        }
    }

    public static class Outer<X> {
        Pair<X, String> p;

        public Outer() {
        }

        public Outer(X x, String s) {
            p = new Pair<>(x, s);
        }
    }

    public static class Node {
        public String n;
        public Node next;
        public List<Node> kids = new ArrayList<>();
    }

    public static class GA<T> {
        T[] arr;

        public GA() {
        }

        public GA(T[] a) {
            arr = a;
        }
    }

    public static class UseGA {
        GA<String> g = new GA<>(new String[] {"g1", "g2"});
    }

    public static class Thr extends RuntimeException {
        public Thr(String m) {
            super(m, null, false, false);
        }
    }

    public static class AL extends ArrayList<String> {
        int ignored = 5;
    }
}
