package demo;

import java.util.*;
import java.util.concurrent.atomic.*;

/** Classes that hold one value. */
public class Maybe<T> {
    Optional<String> nick;
    OptionalInt age;
    AtomicLong hits;
    AtomicBoolean open;
    AtomicReference<Money> last;
    Optional<Color> color;
    Optional<List<String>> many;
    Optional<Date> when;
    Optional<T> some;
}
