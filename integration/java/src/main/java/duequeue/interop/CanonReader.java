package duequeue.interop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Builds the value that a line written by {@link Canon} describes. */
final class CanonReader {
    private final String text;
    private int at;

    private CanonReader(String text) {
        this.text = text;
    }

    static Object read(String text) throws ReflectiveOperationException {
        CanonReader reader = new CanonReader(text);
        Object value = value(reader.json());
        reader.blank();
        if (reader.at != text.length()) {
            throw new IllegalArgumentException("trailing text at " + reader.at);
        }
        return value;
    }

    /** Turns parsed JSON into the Java value it stands for. */
    private static Object value(Object node) throws ReflectiveOperationException {
        if (!(node instanceof Map<?, ?> object)) {
            return node;
        }
        String name = (String) object.get("class");
        if (object.get("entries") instanceof List<?> entries) {
            return map(name, entries);
        }
        if (object.get("elements") instanceof List<?> elements) {
            return items(name, elements);
        }
        return scalar(name, (String) object.get("value"));
    }

    private static Object map(String name, List<?> entries) throws ReflectiveOperationException {
        @SuppressWarnings("unchecked")
        Map<Object, Object> map = (Map<Object, Object>) Class.forName(name).getDeclaredConstructor().newInstance();
        for (Object entry : entries) {
            List<?> pair = (List<?>) entry;
            map.put(value(pair.get(0)), value(pair.get(1)));
        }
        return map;
    }

    private static Object items(String name, List<?> elements) throws ReflectiveOperationException {
        List<Object> values = new ArrayList<>();
        for (Object element : elements) {
            values.add(value(element));
        }
        if (name.equals("java.util.Arrays$ArrayList")) {
            return Arrays.asList(values.toArray());
        }
        if (name.equals("[Ljava.lang.Object;")) {
            return values.toArray();
        }
        @SuppressWarnings("unchecked")
        Collection<Object> items = (Collection<Object>) Class.forName(name).getDeclaredConstructor().newInstance();
        items.addAll(values);
        return items;
    }

    private static Object scalar(String name, String text) {
        return switch (name) {
            case "java.lang.Integer" -> Integer.valueOf(text);
            case "java.lang.Long" -> Long.valueOf(text);
            case "java.lang.Short" -> Short.valueOf(text);
            case "java.lang.Byte" -> Byte.valueOf(text);
            case "java.lang.Character" -> text.charAt(0);
            case "java.lang.Float" -> Float.valueOf(text);
            case "java.lang.Double" -> Double.valueOf(text);
            case "java.math.BigDecimal" -> new BigDecimal(text);
            case "java.math.BigInteger" -> new BigInteger(text);
            case "java.util.Date" -> new Date(Long.parseLong(text));
            case "java.util.UUID" -> UUID.fromString(text);
            case "[B" -> HexFormat.of().parseHex(text);
            default -> throw new IllegalArgumentException("no scalar of class " + name);
        };
    }

    private Object json() {
        blank();
        char c = text.charAt(at);
        if (c == '"') {
            return string();
        }
        if (c == '[') {
            return array();
        }
        if (c == '{') {
            return object();
        }
        for (String word : new String[] {"null", "true", "false"}) {
            if (text.startsWith(word, at)) {
                at += word.length();
                return word.equals("null") ? null : Boolean.valueOf(word);
            }
        }
        throw new IllegalArgumentException("unexpected character at " + at);
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        expect('[');
        while (!next(']')) {
            if (!items.isEmpty()) {
                expect(',');
            }
            items.add(json());
        }
        return items;
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        expect('{');
        while (!next('}')) {
            if (!fields.isEmpty()) {
                expect(',');
                blank();
            }
            String key = string();
            expect(':');
            fields.put(key, json());
        }
        return fields;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        expect('"');
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            out.append(c == '\\' ? escape() : c);
        }
        return out.toString();
    }

    private char escape() {
        char c = text.charAt(at++);
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }
            default -> c;
        };
    }

    private void blank() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private boolean next(char c) {
        blank();
        if (text.charAt(at) != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) {
        if (!next(c)) {
            throw new IllegalArgumentException("expected " + c + " at " + at);
        }
    }
}
