package duequeue.interop;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Prints a value so that the Go side can compare it: JSON that keeps Java
 * classes and iteration order. Pure ASCII, one line.
 *
 * <pre>
 * null, true, "text"
 * {"class":"java.lang.Long","value":"5"}
 * {"class":"java.util.HashMap","entries":[[key,value],...]}
 * {"class":"java.util.ArrayList","elements":[...]}
 * {"class":"some.Bean","fields":[["name",value],...]}
 * </pre>
 */
final class Canon {
    private final StringBuilder out = new StringBuilder();
    /** The beans that are being written, for those that hold themselves. */
    private final Set<Object> inside = Collections.newSetFromMap(new IdentityHashMap<>());

    private Canon() {
    }

    static String of(Object value) {
        Canon canon = new Canon();
        canon.write(value);
        return canon.out.toString();
    }

    static String quote(String text) {
        Canon canon = new Canon();
        canon.string(text);
        return canon.out.toString();
    }

    private void write(Object value) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof String text) {
            string(text);
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else if (value instanceof Collection<?> items) {
            items(value, items);
        } else if (value instanceof Object[] array) {
            items(value, Arrays.asList(array));
        } else if (value instanceof byte[] bytes) {
            scalar(value, HexFormat.of().formatHex(bytes));
        } else if (value.getClass() == Date.class) {
            scalar(value, Long.toString(((Date) value).getTime()));
        } else if (value instanceof Enum<?> constant) {
            scalar(value, constant.name());
        } else if (value.getClass().getName().startsWith("duequeue.")) {
            bean(value);
        } else {
            scalar(value, value.toString());
        }
    }

    private void scalar(Object value, String text) {
        open(value, "value");
        string(text);
        out.append('}');
    }

    private void map(Map<?, ?> map) {
        open(map, "entries");
        out.append('[');
        String separator = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator).append('[');
            write(entry.getKey());
            out.append(',');
            write(entry.getValue());
            out.append(']');
            separator = ",";
        }
        out.append("]}");
    }

    private void items(Object holder, Collection<?> items) {
        open(holder, "elements");
        out.append('[');
        String separator = "";
        for (Object item : items) {
            out.append(separator);
            write(item);
            separator = ",";
        }
        out.append("]}");
    }

    private void bean(Object value) {
        if (!inside.add(value)) {
            scalar(value, "a bean around this one");
            return;
        }
        open(value, "fields");
        out.append('[');
        String separator = "";
        for (Field field : fields(value.getClass())) {
            out.append(separator).append('[');
            string(field.getName());
            out.append(',');
            try {
                field.setAccessible(true);
                write(field.get(value));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
            out.append(']');
            separator = ",";
        }
        out.append("]}");
        inside.remove(value);
    }

    /** The fields of a class and of those it extends, by name. */
    private static List<Field> fields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
                    fields.add(field);
                }
            }
        }
        fields.sort(Comparator.comparing(Field::getName));
        return fields;
    }

    private void open(Object value, String key) {
        out.append("{\"class\":");
        string(value.getClass().getName());
        out.append(",\"").append(key).append("\":");
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
