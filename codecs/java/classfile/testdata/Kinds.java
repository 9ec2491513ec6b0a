import java.io.*;
import java.lang.reflect.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/** Prints what reflection says about classes: the judge of the parser. Arguments: a directory of classes. */
public class Kinds {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        List<String> names;
        try (Stream<Path> walk = Files.walk(root)) {
            names = walk.map(p -> root.relativize(p).toString()).filter(p -> p.endsWith(".class"))
                .map(p -> p.substring(0, p.length() - 6).replace(File.separatorChar, '.')).sorted().toList();
        }
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String name : names) {
            Class<?> c = Class.forName(name, false, Kinds.class.getClassLoader());
            out.println("class " + name + " " + (Modifier.isFinal(c.getModifiers()) ? "final " : "")
                + (c.isRecord() ? "record" : c.isEnum() ? "enum" : "class"));
            for (TypeVariable<?> v : c.getTypeParameters()) out.println("  param " + v.getName() + " " + v.getBounds()[0].getTypeName());
            if (c.getGenericSuperclass() != null) out.println("  super " + c.getGenericSuperclass().getTypeName());
            for (Field f : c.getDeclaredFields()) {
                int m = f.getModifiers();
                if (c.isEnum() || f.isSynthetic() || Modifier.isStatic(m) || Modifier.isTransient(m)) continue;
                out.println("  field " + f.getName() + " " + f.getGenericType().getTypeName());
            }
            SortedSet<String> all = new TreeSet<>();
            collect(c, all);
            out.println("  interfaces " + String.join(" ", all));
            if (c.isEnum()) {
                for (Object k : Class.forName(name).getEnumConstants()) {
                    out.println("  constant " + ((Enum<?>) k).name() + (k.getClass() == c ? "" : " " + k.getClass().getName()));
                }
            }
            ObjectStreamClass s = ObjectStreamClass.lookup(c);
            if (s != null && !c.isInterface() && !name.endsWith("Written")) out.println("  serial " + s.getSerialVersionUID());
        }
        out.flush();
    }

    static void collect(Class<?> c, Set<String> all) {
        for (Class<?> i : c.getInterfaces()) {
            all.add(i.getName());
            collect(i, all);
        }
        if (c.getSuperclass() != null) collect(c.getSuperclass(), all);
    }
}
