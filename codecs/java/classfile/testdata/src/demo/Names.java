package demo;

import java.util.ArrayList;
import java.util.HashMap;

/** Containers of one's own. */
public class Names extends ArrayList<String> {
    int revision;

    public static class ByName<V> extends HashMap<String, V> {}
}
