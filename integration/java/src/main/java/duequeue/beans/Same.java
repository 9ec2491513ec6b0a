package duequeue.beans;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Date;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The equals of all beans here: classes and fields of every level, arrays by
 * their elements, exceptions by message and stack trace. Two graphs are equal
 * when they also share and repeat objects at the same places.
 */
final class Same {
    private final Map<Object, Object> seen = new IdentityHashMap<>();

    private Same() {
    }

    static boolean objects(Object a, Object b) {
        return new Same().values(a, b);
    }

    static int hash(Object bean) {
        return bean.getClass().getName().hashCode();
    }

    private boolean values(Object a, Object b) {
        if (a == null || b == null) {
            return a == b;
        }
        if (a.getClass().isArray()) {
            return arrays(a, b);
        }
        boolean bean = a.getClass().getPackage() == Same.class.getPackage() && !(a instanceof Enum) && !(a instanceof Record);
        if (bean || a instanceof List || a instanceof Map || a instanceof Date) {
            Object partner = seen.put(a, b);
            if (partner != null) {
                return partner == b;
            }
            if (seen.put(b, a) != null && a != b) {
                return false;
            }
        }
        if (bean) {
            return a.getClass() == b.getClass() && fields(a.getClass(), a, b);
        }
        if (a instanceof List<?> list) {
            return b instanceof List<?> other && lists(list, other);
        }
        if (a instanceof Map<?, ?> map) {
            return b instanceof Map<?, ?> other && maps(map, other);
        }
        if (a instanceof Throwable thrown) {
            return a.getClass() == b.getClass() && thrown.getMessage().equals(((Throwable) b).getMessage())
                && Arrays.equals(thrown.getStackTrace(), ((Throwable) b).getStackTrace());
        }
        return Objects.equals(a, b);
    }

    private boolean fields(Class<?> type, Object a, Object b) {
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    if (!values(field.get(a), field.get(b))) {
                        return false;
                    }
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return true;
    }

    private boolean arrays(Object a, Object b) {
        if (a.getClass() != b.getClass() || Array.getLength(a) != Array.getLength(b)) {
            return false;
        }
        for (int i = 0; i < Array.getLength(a); i++) {
            if (!values(Array.get(a, i), Array.get(b, i))) {
                return false;
            }
        }
        return true;
    }

    private boolean lists(List<?> a, List<?> b) {
        if (a.size() != b.size()) {
            return false;
        }
        Iterator<?> others = b.iterator();
        for (Object item : a) {
            if (!values(item, others.next())) {
                return false;
            }
        }
        return true;
    }

    private boolean maps(Map<?, ?> a, Map<?, ?> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (Map.Entry<?, ?> entry : a.entrySet()) {
            if (!b.containsKey(entry.getKey()) || !values(entry.getValue(), b.get(entry.getKey()))) {
                return false;
            }
        }
        return true;
    }
}
