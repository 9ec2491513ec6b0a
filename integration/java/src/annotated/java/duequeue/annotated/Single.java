package duequeue.annotated;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lists and arrays, most of one element. */
public class Single {
    public String[] texts = {"a"};
    public List<String> names;
    public List<Long> longs;
    public int[] numbers = {7};
    public List<List<Integer>> nested;
    public List<Paid> paid;
    public String[] none = {};
    public List<String> two;
    public byte[] bytes = {1};
    public List<Code> codes;

    @SafeVarargs
    private static <T> List<T> list(T... items) {
        return new ArrayList<>(Arrays.asList(items));
    }

    static Single sample(Paid paid) {
        Single s = new Single();
        s.names = list("b");
        s.longs = list(5L);
        s.nested = list(list(1), list(2, 3));
        s.paid = list(paid);
        s.two = list("c", "d");
        s.codes = list(Code.PAID);
        return s;
    }

    private List<Object> all() {
        return Arrays.asList(
            Arrays.toString(texts), names, longs, Arrays.toString(numbers), nested, paid, Arrays.toString(none), two, Arrays.toString(bytes), codes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Single && all().equals(((Single) other).all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }
}
