package duequeue.interop;

import java.util.function.Function;

/** The messages of protobuf, where a release has its library. */
final class Messages {
    private Messages() {
    }

    static Object of(String name) {
        try {
            @SuppressWarnings("unchecked")
            Function<String, Object> messages = (Function<String, Object>)
                Class.forName("duequeue.interop.ProtobufMessages").getDeclaredConstructor().newInstance();
            return messages.apply(name);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no protobuf on this release", e);
        }
    }
}
