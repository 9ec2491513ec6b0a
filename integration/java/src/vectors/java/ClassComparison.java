import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares a message as it was written with what the new program reads, field by field by their names. */
final class ClassComparison {
    private static final int WORDS = 3;
    private static final Map<String, String> FACTS = new HashMap<>(); // by "field demo.Order.name" and the like

    private final ClassLoader loader; // of the new classes

    ClassComparison(ClassLoader loader) {
        this.loader = loader;
    }

    /** Takes over what the mappings say of a change. */
    static void facts(List<String> lines, String change) {
        FACTS.clear();
        boolean here = false;
        for (String line : lines) {
            String[] words = line.split(" ", WORDS);
            if (words[0].equals("#")) {
                here = words[1].equals(change);
            } else if (here && words.length > 1) {
                String verb = words[0].equals("drop") ? "field" : words[0];
                FACTS.put(verb + " " + words[1], words.length < WORDS ? "" : words[2].replace("\"", ""));
            }
        }
    }

    private static String fact(String verb, Field f) {
        return FACTS.get(verb + " " + f.getDeclaringClass().getName() + "." + f.getName());
    }

    Outcome messages(Object old, Object now, Class<?> payload) {
        if (!payload.isInstance(now)) {
            return Outcome.wrong("message", old, now);
        }
        return values("", old, now, payload, Map.of());
    }

    private Outcome values(String path, Object old, Object now, Type declared, Map<String, Type> bound) {
        if (now != null && !fits(now, declared, bound)) {
            return Outcome.wrong(path, old, now);
        }
        if (old == null || now == null) {
            return nulls(path, old, now);
        }
        if (isBean(now)) {
            return isBean(old) ? beans(path, old, now, bind(now.getClass(), declared, bound)) : Outcome.wrong(path, old, now);
        }
        if (now instanceof Map<?, ?> m) {
            return old instanceof Map<?, ?> o ? maps(path, o, m, arguments(declared), bound) : Outcome.wrong(path, old, now);
        }
        List<Object> list = elements(now);
        if (list != null) {
            List<Object> was = elements(old);
            return was == null ? Outcome.wrong(path, old, now) : lists(path, was, list, now, declared, bound);
        }
        return alike(old, now) ? Outcome.SAME : Outcome.wrong(path, old, now);
    }

    private static Outcome nulls(String path, Object old, Object now) {
        if (old == now) {
            return Outcome.SAME;
        }
        if (old == null) {
            return isZero(now) ? Outcome.byDefault(path) : Outcome.wrong(path, old, now);
        }
        return Outcome.loses(path);
    }

    private Outcome beans(String path, Object old, Object now, Map<String, Type> bound) {
        Map<String, Field> was = fields(old.getClass());
        Map<String, Field> is = fields(now.getClass());
        Object initial = initial(now.getClass());
        Set<String> targets = new HashSet<>();
        Outcome worst = Outcome.SAME;
        for (Map.Entry<String, Field> e : was.entrySet()) {
            String at = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
            Object value = get(e.getValue(), old);
            String target = fact("field", e.getValue());
            Field f = is.get(target == null ? e.getKey() : target);
            if (f != null) {
                targets.add(f.getName());
                value = value == null ? fact("value", f) : value;
                Object got = get(f, now);
                Object unset = initial == null ? null : get(f, initial);
                boolean retyped = f.getType() != e.getValue().getType() && !isBeanType(f.getType());
                worst = field(at, value, got, unset, retyped, f.getGenericType(), bound).worse(worst);
            } else if (value != null && !isZero(value) && !"".equals(target)) {
                worst = Outcome.loses(at).worse(worst);
            }
        }
        for (Map.Entry<String, Field> e : is.entrySet()) {
            if (!targets.contains(e.getKey())) {
                String at = path.isEmpty() ? e.getKey() : path + "." + e.getKey();
                Object value = get(e.getValue(), now);
                String given = fact("value", e.getValue());
                if (given != null) {
                    worst = (given.equals(String.valueOf(value)) ? Outcome.SAME : Outcome.wrong(at, given, value)).worse(worst);
                    continue;
                }
                boolean untouched = value == null || isZero(value) || initial != null && value.equals(get(e.getValue(), initial));
                worst = (untouched ? Outcome.byDefault(at) : Outcome.wrong(at, "absent", value)).worse(worst);
            }
        }
        return worst;
    }

    /** Compares the values of a field that both classes have; unset is what a new object has in it. */
    private Outcome field(String path, Object old, Object now, Object unset, boolean retyped, Type declared, Map<String, Type> bound) {
        boolean untouched = now == null || isZero(now) || now.equals(unset);
        boolean empty = old == null || isZero(old);
        boolean kept = old != null && now != null && alike(old, now);
        if (untouched && !kept && (empty || now == null || !retyped)) {
            return empty ? old == now ? Outcome.SAME : Outcome.byDefault(path) : Outcome.loses(path);
        }
        return values(path, old, now, declared, bound);
    }

    private Outcome maps(String path, Map<?, ?> old, Map<?, ?> now, Type[] arguments, Map<String, Type> bound) {
        if (old.size() != now.size()) {
            return Outcome.wrong(path, old, now);
        }
        Outcome worst = Outcome.SAME;
        Type key = arguments.length == 2 ? arguments[0] : Object.class;
        Type value = arguments.length == 2 ? arguments[1] : Object.class;
        for (Map.Entry<?, ?> n : now.entrySet()) {
            Object match = null;
            for (Map.Entry<?, ?> o : old.entrySet()) {
                match = alike(o.getKey(), n.getKey()) && fits(n.getKey(), key, bound) ? o.getValue() : match;
            }
            worst = (match == null ? Outcome.wrong(path, old, now) : values(path + "[]", match, n.getValue(), value, bound)).worse(worst);
        }
        return worst;
    }

    private Outcome lists(String path, List<Object> old, List<Object> now, Object container, Type declared, Map<String, Type> bound) {
        if (old.size() != now.size()) {
            return Outcome.wrong(path, old, now);
        }
        Type[] arguments = arguments(declared);
        Type element = arguments.length == 1 ? arguments[0] : Object.class;
        if (container.getClass().isArray()) {
            element = container.getClass().getComponentType();
        }
        Outcome worst = Outcome.SAME;
        for (int i = 0; i < old.size(); i++) {
            Object was = old.get(i);
            for (Object o : container instanceof Set ? old : List.of()) {
                was = alike(o, now.get(i)) ? o : was;
            }
            worst = values(path + "[]", was, now.get(i), element, bound).worse(worst);
        }
        return worst;
    }

    /** Reports whether a value is of the declared type, arguments of it aside. */
    private static boolean fits(Object value, Type declared, Map<String, Type> bound) {
        if (declared instanceof TypeVariable<?> v) {
            return !bound.containsKey(v.getName()) || fits(value, bound.get(v.getName()), Map.of());
        }
        Type raw = declared instanceof ParameterizedType p ? p.getRawType() : declared;
        return !(raw instanceof Class<?> c) || c.isPrimitive() || c.isInstance(value);
    }

    private static Type[] arguments(Type declared) {
        return declared instanceof ParameterizedType p ? p.getActualTypeArguments() : new Type[0];
    }

    private static Map<String, Type> bind(Class<?> type, Type declared, Map<String, Type> outer) {
        Type[] arguments = arguments(declared);
        Map<String, Type> bound = new HashMap<>();
        for (int i = 0; i < arguments.length && i < type.getTypeParameters().length; i++) {
            Type a = arguments[i] instanceof TypeVariable<?> v ? outer.get(v.getName()) : arguments[i];
            bound.put(type.getTypeParameters()[i].getName(), a);
        }
        return bound;
    }

    /** Reports whether two values say the same, whatever their types are. */
    private static boolean alike(Object a, Object b) {
        if (a instanceof Date d) {
            a = b instanceof Instant ? d.toInstant() : b instanceof Number ? (Object) d.getTime() : d;
        }
        if (b instanceof Date d && a instanceof Number) {
            b = d.getTime();
        }
        if (a instanceof Number x && b instanceof Number y && Double.isFinite(x.doubleValue()) && Double.isFinite(y.doubleValue())) {
            return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString())) == 0;
        }
        if (a instanceof Number != b instanceof Number) { // a number, and perhaps the text of one
            try {
                return new BigDecimal(a.toString()).compareTo(new BigDecimal(b.toString())) == 0;
            } catch (NumberFormatException e) {
                return false;
            }
        }
        if (a instanceof Enum<?> e) {
            a = FACTS.getOrDefault("constant " + e.getDeclaringClass().getName() + "." + e.name(), e.name());
        }
        if (b instanceof Enum<?> e) {
            b = e.name();
        }
        return String.valueOf(a).equals(String.valueOf(b)); // River makes enum constants without a name
    }

    private static boolean isZero(Object value) {
        return value instanceof Number n && n.doubleValue() == 0 || Boolean.FALSE.equals(value) || Character.valueOf('\0').equals(value);
    }

    private boolean isBean(Object value) {
        return isBeanType(value.getClass());
    }

    /** Reports whether a class is one of the two programs, and no enum. */
    private boolean isBeanType(Class<?> type) {
        ClassLoader of = type.getClassLoader();
        return of != null && of.getClass() == loader.getClass() && !type.isEnum() && !type.isArray();
    }

    private static List<Object> elements(Object value) {
        if (value instanceof Collection<?> c) {
            return new ArrayList<>(c);
        }
        if (!value.getClass().isArray()) {
            return null;
        }
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < Array.getLength(value); i++) {
            all.add(Array.get(value, i));
        }
        return all;
    }

    private static Map<String, Field> fields(Class<?> type) {
        Map<String, Field> all = new LinkedHashMap<>();
        for (Field f : ClassMessages.fields(type)) {
            if (!Modifier.isTransient(f.getModifiers())) {
                all.put(f.getName(), f);
            }
        }
        return all;
    }

    private static Object initial(Class<?> type) {
        try {
            Constructor<?> c = type.getDeclaredConstructor();
            c.setAccessible(true);
            return c.newInstance();
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static Object get(Field f, Object of) {
        try {
            return f.get(of);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
