import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Fills objects of a class with values: three kinds of them, one whose objects inside have none, and one without. */
final class ClassMessages {
    static final String[] NAMES = {"first", "second", "third", "hollow", "empty"};
    static final int COUNT = NAMES.length;
    private static final int EMPTY = COUNT - 1;
    private static final int HOLLOW = COUNT - 2;
    private static final int DEEPEST = 4;

    /** Type arguments of what the lists and maps of {@link #inherited} go into. */
    private static final java.util.Set<List<Type>> TEXTS = java.util.Set.of(List.of(), List.of(String.class), List.of(String.class, Object.class));

    private static final Map<Class<?>, Object[]> VALUES = new HashMap<>();

    static {
        put(new Object[] {7, 16777217, -3}, int.class, Integer.class, Number.class);
        put(new Object[] {7L, (1L << 53) + 1, -3L}, long.class, Long.class);
        put(new Object[] {(short) 7, (short) 700, (short) -3}, short.class, Short.class);
        put(new Object[] {(byte) 7, (byte) 70, (byte) -3}, byte.class, Byte.class);
        put(new Object[] {1.5f, 1e10f, -0.25f}, float.class, Float.class);
        put(new Object[] {1.5, 1234567.890123, -0.25}, double.class, Double.class);
        put(new Object[] {true, false, true}, boolean.class, Boolean.class);
        put(new Object[] {'a', '7', 'ß'}, char.class, Character.class);
        put(new Object[] {"seven", "42", "größer"}, String.class, Object.class, CharSequence.class, Comparable.class);
        put(new Object[] {new BigDecimal("12.50"), new BigDecimal("123456789012345678.901"), new BigDecimal("-1")}, BigDecimal.class);
        put(new Object[] {new Date(1700000000000L), new Date(7), new Date(-1)}, Date.class);
        put(new Object[] {Instant.ofEpochMilli(1700000000000L), Instant.ofEpochMilli(7), Instant.ofEpochMilli(-1)}, Instant.class);
        put(new Object[] {BigInteger.TEN, BigInteger.ONE.shiftLeft(70), BigInteger.valueOf(-7)}, BigInteger.class);
        put(new Object[] {new UUID(1, 2), new UUID(-1, 7), new UUID(0, 0)}, UUID.class);
        put(new Object[] {LocalDate.of(2024, 2, 29), LocalDate.of(1999, 12, 31), LocalDate.of(1970, 1, 1)}, LocalDate.class);
        put(new Object[] {Optional.of("seven"), Optional.empty(), Optional.of("")}, Optional.class);
        put(new Object[] {LocalDateTime.of(2024, 1, 2, 3, 4, 5), LocalDateTime.of(1999, 12, 31, 0, 0), LocalDateTime.of(2000, 2, 29, 23, 59, 59, 1)}, LocalDateTime.class);
    }

    private final List<Class<?>> classes = new ArrayList<>();
    private boolean hollow;
    private boolean varied;

    ClassMessages(ClassLoader loader, List<String> names) throws ClassNotFoundException {
        for (String name : names) {
            classes.add(Class.forName(name, false, loader));
        }
    }

    private static void put(Object[] values, Class<?>... types) {
        for (Class<?> type : types) {
            VALUES.put(type, values);
        }
    }

    /** Values may be null in lists and arrays, and of classes that extend one of the JDK's, where there are some. */
    ClassMessages varied() {
        varied = true;
        return this;
    }

    Object of(Class<?> type, int kind) throws ReflectiveOperationException {
        hollow = kind == HOLLOW;
        return object(type, Map.of(), hollow ? 0 : kind, 0);
    }

    private Object object(Class<?> type, Map<String, Type> bound, int wanted, int depth) throws ReflectiveOperationException {
        int kind = hollow && depth > 0 ? EMPTY : wanted;
        if (type.isRecord()) {
            RecordComponent[] parts = type.getRecordComponents();
            Class<?>[] types = new Class<?>[parts.length];
            Object[] values = new Object[parts.length];
            for (int i = 0; i < parts.length; i++) {
                types[i] = parts[i].getType();
                values[i] = kind == EMPTY ? zero(types[i]) : value(parts[i].getGenericType(), bound, kind, depth);
            }
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        }
        Object made = blank(type);
        for (Field f : fields(type)) {
            if (!Modifier.isTransient(f.getModifiers()) && kind != EMPTY) {
                f.set(made, value(f.getGenericType(), bound, kind, depth));
            }
        }
        return made;
    }

    /** Returns an object for which no constructor ran. */
    private static Object blank(Class<?> type) throws ReflectiveOperationException {
        Field f = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        f.setAccessible(true);
        return ((sun.misc.Unsafe) f.get(null)).allocateInstance(type);
    }

    private static Object zero(Class<?> type) {
        return Array.get(Array.newInstance(type, 1), 0);
    }

    /** Returns the fields of a class and of its superclasses that are not static. */
    static List<Field> fields(Class<?> type) {
        List<Field> all = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field f : c.getDeclaredFields()) {
                if (!Modifier.isStatic(f.getModifiers())) {
                    f.setAccessible(true);
                    all.add(f);
                }
            }
        }
        return all;
    }

    private Object value(Type type, Map<String, Type> bound, int kind, int depth) throws ReflectiveOperationException {
        if (type instanceof TypeVariable<?> v) {
            return value(bound.getOrDefault(v.getName(), Object.class), bound, kind, depth);
        }
        if (type instanceof GenericArrayType a) {
            throw new IllegalArgumentException(a.toString());
        }
        Class<?> raw = (Class<?>) (type instanceof ParameterizedType p ? p.getRawType() : type);
        Type[] arguments = type instanceof ParameterizedType p ? p.getActualTypeArguments() : new Type[0];
        Object inherited = varied && kind > 0 && TEXTS.contains(java.util.Arrays.asList(arguments)) ? inherited(raw, kind) : null;
        if (inherited != null) {
            return inherited;
        }
        Object[] known = VALUES.get(raw);
        if (known != null) {
            return known[kind];
        }
        if (raw.isArray()) {
            Object array = Array.newInstance(raw.getComponentType(), kind + 1);
            for (int i = 0; i <= kind; i++) {
                Array.set(array, i, value(raw.getComponentType(), bound, i, depth));
            }
            if (varied && kind == 2 && !raw.getComponentType().isPrimitive()) {
                Array.set(array, 1, null);
            }
            return array;
        }
        if (Collection.class.isAssignableFrom(raw) || Map.class.isAssignableFrom(raw)) {
            return container(raw, arguments, bound, kind, depth);
        }
        if (raw.isEnum()) {
            Object[] constants = raw.getEnumConstants();
            return constants[kind % constants.length];
        }
        return depth == DEEPEST ? null : bean(raw, arguments, bound, kind, depth);
    }

    /** Returns an object of a class that extends one of the JDK's and fits, null where there is none. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object inherited(Class<?> raw, int kind) throws ReflectiveOperationException {
        for (Class<?> c : classes) {
            boolean extended = Date.class.isAssignableFrom(c) || Map.class.isAssignableFrom(c) || Collection.class.isAssignableFrom(c);
            if (!extended || raw == Object.class || !raw.isAssignableFrom(c)) {
                continue;
            }
            Object made = c.getConstructor().newInstance();
            if (made instanceof Date d) {
                d.setTime(((Date) VALUES.get(Date.class)[kind]).getTime());
            } else if (made instanceof Map m) {
                m.put("a", "b");
                m.put("kind", kind);
                m.put("large", 1L << 40);
            } else {
                ((Collection) made).add("text");
            }
            return made;
        }
        return null;
    }

    private Object bean(Class<?> raw, Type[] arguments, Map<String, Type> bound, int kind, int depth) throws ReflectiveOperationException {
        Map<String, Type> inner = new HashMap<>();
        for (int i = 0; i < arguments.length; i++) {
            inner.put(raw.getTypeParameters()[i].getName(), arguments[i] instanceof TypeVariable<?> v ? bound.get(v.getName()) : arguments[i]);
        }
        for (Class<?> c : classes) {
            if (raw.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers())) {
                return object(c, inner, kind, depth + 1);
            }
        }
        throw new IllegalArgumentException("no value for " + raw);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object container(Class<?> raw, Type[] arguments, Map<String, Type> bound, int kind, int depth) throws ReflectiveOperationException {
        if (Map.class.isAssignableFrom(raw)) {
            Map map = raw.isInterface() ? new HashMap<>()
                : raw == EnumMap.class ? new EnumMap((Class) arguments[0]) : (Map) raw.getConstructor().newInstance();
            Type key = arguments.length < 2 ? String.class : arguments[0];
            for (int i = 0; i <= kind; i++) {
                map.put(value(key, bound, i, depth), value(arguments.length < 2 ? Object.class : arguments[1], bound, i, depth));
            }
            return map;
        }
        Collection all = !raw.isInterface() ? (Collection) raw.getConstructor().newInstance()
            : raw.isAssignableFrom(ArrayList.class) ? new ArrayList<>() : new LinkedHashSet<>();
        for (int i = 0; i <= kind; i++) {
            all.add(value(arguments.length == 0 ? Object.class : arguments[0], bound, i, depth));
        }
        if (varied && kind == 2 && all instanceof List) {
            ((List) all).set(1, null);
        }
        return all;
    }
}
