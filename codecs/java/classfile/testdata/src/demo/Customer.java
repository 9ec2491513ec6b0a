package demo;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A subclass with a field of its superclass's name. */
public class Customer extends Entity<Long, Integer> {
    private static final int serialVersionUID = -7;
    String name;
    String note;
    Map<Color, List<Address>> addresses;
    EnumMap<Color, String> labels;
    Customer referrer;
}
