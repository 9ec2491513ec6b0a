package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Fields whose values name their classes by annotations. */
public class Named {
    public Event event;
    public List<Event> events;
    public Map<String, Event> byName;
    public Paid paid;
    public Shape shape;
    public Square square;
    public List<Shape> shapes;
    public Pet pet;
    public Cat cat;
    public Tool tool;
    public Object open;
    public Code code;
    public List<Code> codes;
    @JsonAlias({"old_name", "title"})
    public String name;

    private Object[] all() {
        return new Object[] {event, events, byName, paid, shape, square, shapes, pet, cat, tool, open, code, codes, name};
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((Named) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(name);
    }
}
