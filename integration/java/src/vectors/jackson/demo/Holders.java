package demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/** Beans that hold an Optional, an AtomicReference or a Throwable. */
public final class Holders {
    private Holders() {
    }

    /** Fields that hold something, hold nothing, or are null. */
    public static class Maybe {
        public Object any;
        public Optional<Types.Item> bean;
        public OptionalDouble fraction;
        public OptionalInt integer;
        public Optional<Types.Leaf> leaf;
        public Optional<List<Long>> list;
        public Optional<Long> number;
        public Optional<Object> object;
        public AtomicReference<Long> ref;
        public Optional<String> text;
        public Optional<UUID> uuid;
        public OptionalLong whole;

        public static Maybe full() {
            Maybe m = new Maybe();
            m.any = Optional.of(6L);
            m.bean = Optional.of(new Types.Item());
            m.fraction = OptionalDouble.of(2.5);
            m.integer = OptionalInt.of(3);
            m.leaf = Optional.of(new Types.Leaf());
            m.list = Optional.of(new ArrayList<>(List.of(1L, 2L)));
            m.number = Optional.of(5L);
            m.object = Optional.of(7L);
            m.ref = new AtomicReference<>(8L);
            m.text = Optional.of("x");
            m.uuid = Optional.of(new UUID(1, 2));
            m.whole = OptionalLong.of(4);
            return m;
        }

        public static Maybe empty() {
            Maybe m = new Maybe();
            m.any = Optional.empty();
            m.bean = Optional.empty();
            m.fraction = OptionalDouble.empty();
            m.integer = OptionalInt.empty();
            m.leaf = Optional.empty();
            m.list = Optional.empty();
            m.number = Optional.empty();
            m.object = Optional.empty();
            m.ref = new AtomicReference<>();
            m.text = Optional.empty();
            m.uuid = Optional.empty();
            m.whole = OptionalLong.empty();
            return m;
        }
    }

    /** Fields that are Throwables, of the JDK and of a class that is described. */
    public static class Faults {
        public List<Throwable> all;
        public Object any;
        public Throwable cause;
        public String code;
        public Types.Failure own;

        public static Faults of() {
            Faults f = new Faults();
            f.code = "c";
            f.cause = bare(new IllegalStateException("boom", bare(new RuntimeException("cause"))));
            f.own = bare(new Types.Failure("mine"));
            f.any = bare(new Types.Failure(null));
            f.all = new ArrayList<>(List.of(f.cause, bare(new Types.Failure("mm"))));
            return f;
        }
    }

    /** A Throwable with an Optional, and with a cause of its class. */
    public static class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        public Optional<String> advice = Optional.empty();
        public Long wait = 5L;
        public Object zone;

        public Refused(String message, Throwable cause) {
            super(message, cause);
        }
    }

    public static Throwable refused() {
        return bare(new Refused("no", bare(new Refused("why", null))));
    }

    /** References, also to null. */
    public static class Refs {
        public AtomicReference<String> empty;
        public AtomicReference<Long> full;

        public static Refs of() {
            Refs r = new Refs();
            r.empty = new AtomicReference<>();
            r.full = new AtomicReference<>(8L);
            return r;
        }
    }

    /** An array of a final class, in a field and as an element. */
    public static class Leaves {
        public Types.Leaf[] array = {new Types.Leaf(), null};
        public Object any = new Types.Leaf[] {new Types.Leaf()};
        public Types.Leaf[][] grid = {{new Types.Leaf()}, {}};
    }

    private static <T extends Throwable> T bare(T t) {
        t.setStackTrace(new StackTraceElement[0]);
        return t;
    }
}
