package duequeue.interop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.redisson.config.Config;
import org.redisson.config.ConfigSupport;

/** What this release makes of configuration files: which settings it knows, what it reads. */
final class Configurations {
    private static final String SECTION = "ServersConfig";
    /** What fromYAML asks; one for all tries, for it learns its classes anew each time. */
    private static final ConfigSupport SUPPORT = new ConfigSupport();

    private Configurations() {
    }

    /** The settings that fromYAML accepts, one on a line: section, name and type, with tabs between. */
    static String settings() {
        StringBuilder out = new StringBuilder();
        Map<String, Class<?>> root = candidates(Config.class);
        for (Map.Entry<String, Class<?>> setting : root.entrySet()) {
            String name = setting.getKey();
            if (!accepted(null, name, setting.getValue())) {
                continue;
            }
            out.append("config\t").append(name).append('\t').append(typeName(setting.getValue())).append('\n');
            if (!isSection(name)) {
                continue;
            }
            for (Map.Entry<String, Class<?>> below : candidates(setting.getValue()).entrySet()) {
                if (accepted(name, below.getKey(), below.getValue())) {
                    out.append(name).append('\t').append(below.getKey()).append('\t').append(typeName(below.getValue())).append('\n');
                }
            }
        }
        return out.toString();
    }

    /** What a file says, one on a line: section, name and value, with tabs between. */
    static String read(String format, String text) throws ReflectiveOperationException {
        Object config = parse(format, text);
        StringBuilder out = new StringBuilder();
        for (Map.Entry<String, Object> value : values(config).entrySet()) {
            if (!isSection(value.getKey())) {
                out.append("config\t").append(value.getKey()).append('\t').append(show(value.getValue())).append('\n');
                continue;
            }
            for (Map.Entry<String, Object> below : values(value.getValue()).entrySet()) {
                out.append(value.getKey()).append('\t').append(below.getKey()).append('\t').append(show(below.getValue())).append('\n');
            }
        }
        return out.toString();
    }

    private static boolean isSection(String name) {
        return name.endsWith(SECTION) || name.equals("singleServerConfig");
    }

    private static Object parse(String format, String text) throws ReflectiveOperationException {
        try {
            return Config.class.getMethod(format.equals("json") ? "fromJSON" : "fromYAML", String.class).invoke(null, text);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(e.getCause());
        }
    }

    /** Whether a file may have the setting, with any value. Only trying tells: some have a setter and are refused. */
    private static boolean accepted(String section, String name, Class<?> type) {
        String indent = section == null ? "" : section + ":\n  ";
        for (String value : List.of(sample(type), "null", "redis://127.0.0.1:6379", "[redis://127.0.0.1:6379]", "{}")) {
            try {
                if (SUPPORT.fromYAML(indent + name + ": " + value + "\n", Config.class) != null) {
                    return true;
                }
            } catch (Exception e) {
                // The next value may be one.
            }
        }
        return false;
    }

    private static String sample(Class<?> type) {
        if (type == boolean.class) {
            return "true";
        }
        if (type.isPrimitive()) {
            return "1";
        }
        if (type.isEnum()) {
            return ((Enum<?>) type.getEnumConstants()[0]).name();
        }
        return type == String.class ? "x" : "file:///x";
    }

    private static String typeName(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).map(c -> ((Enum<?>) c).name()).collect(Collectors.joining("|"));
        }
        if (type == String.class || type.getName().equals("java.net.URI")) {
            return "text";
        }
        if (Collection.class.isAssignableFrom(type) || type.isArray()) {
            return "texts";
        }
        return type.getSimpleName();
    }

    /** All that may be a setting: fields, and what has a setter of any visibility. */
    private static Map<String, Class<?>> candidates(Class<?> type) {
        Map<String, Class<?>> out = new TreeMap<>();
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.getName().matches("set[A-Z].*") && method.getParameterCount() == 1) {
                    out.putIfAbsent(property(method.getName(), 3), method.getParameterTypes()[0]);
                }
            }
        }
        for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!field.isSynthetic()) {
                    out.put(field.getName(), field.getType());
                }
            }
        }
        return out;
    }

    private static Map<String, Object> values(Object bean) throws ReflectiveOperationException {
        Map<String, Object> out = new TreeMap<>();
        for (Class<?> c = bean.getClass(); c != Object.class; c = c.getSuperclass()) {
            for (Method method : c.getDeclaredMethods()) {
                int prefix = method.getName().matches("get[A-Z].*") ? 3 : method.getName().matches("is[A-Z].*") ? 2 : 0;
                if (prefix > 0 && method.getParameterCount() == 0 && !method.isBridge()) {
                    ((AccessibleObject) method).setAccessible(true);
                    Object value = method.invoke(bean);
                    if (value != null) {
                        out.putIfAbsent(property(method.getName(), prefix), value);
                    }
                }
            }
        }
        return out;
    }

    private static String property(String method, int prefix) {
        return Character.toLowerCase(method.charAt(prefix)) + method.substring(prefix + 1);
    }

    private static String show(Object value) {
        if (value instanceof Object[] array) {
            return show(Arrays.asList(array));
        }
        if (value instanceof Collection<?> items) {
            return new TreeSet<>(items.stream().map(Configurations::show).collect(Collectors.toList())).toString();
        }
        String name = value.getClass().getName();
        return name.startsWith("org.redisson.") && !value.getClass().isEnum() ? name : value.toString();
    }
}
