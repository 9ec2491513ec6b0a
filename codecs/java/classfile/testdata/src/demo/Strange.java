package demo;

import java.io.*;

/** What a Go type cannot carry in every format. */
public class Strange implements Externalizable {
    String shown;
    private final Object lock = new Object();

    public void writeExternal(ObjectOutput out) {}

    public void readExternal(ObjectInput in) {}

    public static class Written implements Serializable {
        private static final long serialVersionUID = System.nanoTime();
        private static final ObjectStreamField[] serialPersistentFields = {};
        int a;

        private void writeObject(ObjectOutputStream out) throws IOException { out.writeInt(a); }

        private Object writeReplace() { return this; }
    }

    public static class Failure extends RuntimeException {
        int code;
    }
}
