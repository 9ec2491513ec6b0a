package demo;

import java.io.*;

/** Not Serializable itself, with classes below it that are. */
public class Loose {
    long id;

    private void writeObject(ObjectOutputStream out) {} // of no effect here

    public static class Kept extends Loose implements Serializable {
        private static final long serialVersionUID = 1;
        String name;
    }

    public static class Writes extends Kept {
        private static final long serialVersionUID = 2;

        private void writeObject(ObjectOutputStream out) throws IOException { out.defaultWriteObject(); }
    }

    public static class Listed extends Kept {
        private static final long serialVersionUID = 3;
        private static final ObjectStreamField[] serialPersistentFields = {};
    }

    public static class Replaced extends Kept {
        private static final long serialVersionUID = 4;

        protected Object writeReplace() { return this; }
    }

    /** Neither method is the one that Java looks for. */
    public static class Alike extends Kept {
        private static final long serialVersionUID = 5;

        public void writeObject(ObjectOutputStream out) {}

        Alike writeReplace(int a) { return this; }
    }
}
