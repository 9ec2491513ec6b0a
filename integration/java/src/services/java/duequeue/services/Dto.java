package duequeue.services;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The equals of what services offer: the class and all fields. It has none itself, and so is on no wire. */
abstract class Dto implements Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && all().equals(((Dto) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hash(all());
    }

    private List<Object> all() {
        List<Object> out = new ArrayList<>();
        for (Class<?> c = getClass(); c != Dto.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    try {
                        field.setAccessible(true);
                        out.add(field.get(this));
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }
        }
        return out;
    }
}
