package duequeue.interop;

import duequeue.beans.Beans;
import duequeue.beans.Documents;
import duequeue.bench.Payloads;
import duequeue.guard.Guarded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The values that every release is asked to carry. The Go side knows the same ones by name. */
final class Samples {
    private Samples() {
    }

    /**
     * Returns the sample called {@code name}; "bean.x" is one of the beans, "doc.x" one of the
     * documents, "annotated.x" one with annotations, "service.x" what a
     * service offers, "guard.x.n" what {@link Guarded} has, "proto.x" a message, "root.x" a value that is no bean, "bench.x" what
     * benchmarks carry.
     */
    static Object of(String name) {
        if (name.startsWith("bean.")) {
            return Beans.of(name.substring("bean.".length()));
        }
        if (name.startsWith("doc.")) {
            return Documents.of(name.substring("doc.".length()));
        }
        if (name.startsWith("root.")) {
            return Roots.of(name.substring("root.".length()));
        }
        if (name.startsWith("proto.")) {
            return Messages.of(name.substring("proto.".length()));
        }
        if (name.startsWith("bench.")) {
            return Payloads.of(name.substring("bench.".length()));
        }
        if (name.startsWith("guard.")) {
            return Guarded.of(name.substring("guard.".length()));
        }
        if (name.startsWith("annotated.")) {
            return optional("duequeue.annotated.AnnotatedBeans", name.substring("annotated.".length()));
        }
        if (name.startsWith("service.")) {
            return optional("duequeue.services.Services", name.substring("service.".length()));
        }
        return switch (name) {
            case "string" -> "订单 #100 — paid? \"no\"";
            case "hashmap5" -> hashmap5();
            case "nested" -> nested();
            case "null" -> null;
            case "order" -> order();
            default -> throw new IllegalArgumentException("no sample called " + name);
        };
    }

    /** Reflection, because not all releases have them: see build.sh. */
    private static Object optional(String samples, String name) {
        try {
            return Class.forName(samples).getMethod("of", String.class).invoke(null, name);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(samples + " has no " + name, e);
        }
    }

    private static Map<String, Object> hashmap5() {
        Map<String, Object> map = new HashMap<>();
        map.put("amount", 12.5);
        map.put("createdAt", 1700000000123L);
        map.put("orderId", "100");
        map.put("quantity", 3);
        map.put("remark", "其他信息");
        return map;
    }

    private static List<Object> nested() {
        Map<String, Object> inner = new HashMap<>();
        inner.put("k", "v");
        inner.put("ok", true);
        return new ArrayList<>(Arrays.asList(
            "a", 1, new ArrayList<>(Arrays.asList(2L, null, inner)), new ArrayList<>()));
    }

    private static Map<String, Object> order() {
        Map<String, Object> order = new HashMap<>();
        order.put("orderId", "100");
        order.put("remark", "其他信息");
        return order;
    }
}
