import com.esotericsoftware.kryo.serializers.FieldSerializer;
import com.esotericsoftware.kryo.serializers.TaggedFieldSerializer;
import demo.B;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Beans of the vectors: generics and annotations. Without a package, as the vectors name them. */
final class Main2 {
    private Main2() {
    }

    public static class MyMap<V> extends HashMap<String, V> {
    }

    public static class MyList<A, C> extends ArrayList<C> {
    }

    public static class UM {
        MyMap<Integer> m = new MyMap<>();

        {
            m.put("ab", 1);
        }
    }

    public static class UL {
        MyList<String, Integer> m = new MyList<>();

        {
            m.add(1);
        }
    }

    public static class Res<T> {
        int code = 200;
        String msg = "ok";
        T data;

        Res() {
        }

        Res(T t) {
            data = t;
        }
    }

    public static class UseRes {
        Res<List<String>> r = new Res<>(new ArrayList<>(List.of("d1")));
        Res<Map<String, Integer>> rm = new Res<>(new HashMap<>(Map.of("d2", 1)));
    }

    public static class Page<E> {
        List<E> rows = new ArrayList<>();
        long total = 1;
    }

    public static class UsePage {
        Page<B.Inner> p = new Page<>();
        Page<String> ps = new Page<>();

        {
            p.rows.add(new B.Inner(1));
            ps.rows.add("ps");
        }
    }

    public static class Base<I> {
        I id;

        Base() {
        }
    }

    public static class Ent extends Base<Long> {
        String n = "nn";

        {
            id = 7L;
        }
    }

    public static class Ann {
        @FieldSerializer.NotNull
        String s = "an";
        @FieldSerializer.NotNull
        Integer i = 5;
        @TaggedFieldSerializer.Tag(1)
        int tg = 6;
        @FieldSerializer.Optional("k")
        int opt = 7;
        @Deprecated
        int dep = 8;
    }
}
