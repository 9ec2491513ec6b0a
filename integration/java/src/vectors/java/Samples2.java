import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;

/** Classes of the vectors with serial forms of their own. */
final class Samples2 {
    private Samples2() {
    }

    public static class MyList extends ArrayList<Object> {
        private static final long serialVersionUID = 0xe6445d1672f3f336L;

        int extra = 3;
    }

    /** Declares fields, and writes none of them. */
    public static class NoDef implements Serializable {
        private static final long serialVersionUID = 0xad1b1bececc230b2L;

        int a = 1;
        String s = "s";

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.writeInt(5);
        }

        private void readObject(ObjectInputStream in) throws IOException {
            a = in.readInt();
        }
    }

    /** Writes more than one block. */
    public static class BigExt implements Externalizable {
        private static final long serialVersionUID = 0x8adbd98698d3fff4L;

        public BigExt() {
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            for (int i = 0; i < 200; i++) {
                out.writeInt(i);
            }
            out.writeObject("mid");
            out.write(new byte[300]);
            out.writeUTF("é");
        }

        @Override
        public void readExternal(ObjectInput in) {
            throw new UnsupportedOperationException();
        }
    }
}
