import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/** Prints the table of JDK types: name, superclass, interfaces it names itself. */
public class JDKTypes {
    static final Set<String> PACKAGES = Set.of("java.lang", "java.math", "java.net", "java.time", "java.time.chrono",
        "java.time.temporal", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.function", "java.sql");
    static final Set<String> ALSO = Set.of("java.io.Serializable", "java.io.Externalizable", "java.io.Closeable", "java.io.Flushable",
        "java.io.IOException", "java.io.UncheckedIOException", "java.io.FileNotFoundException", "java.io.EOFException",
        "java.io.ObjectStreamException", "java.io.InvalidClassException", "java.io.NotSerializableException",
        "java.lang.annotation.Annotation", "java.nio.charset.Charset", "java.security.Principal", "java.security.GeneralSecurityException",
        "java.util.concurrent.locks.Lock", "java.util.concurrent.locks.ReentrantLock", "java.util.concurrent.locks.ReadWriteLock",
        "java.util.concurrent.locks.ReentrantReadWriteLock", "java.util.regex.Pattern", "java.io.File", "java.lang.constant.Constable",
        "java.lang.constant.ConstantDesc", "java.util.concurrent.locks.AbstractQueuedSynchronizer",
        "java.util.concurrent.locks.AbstractOwnableSynchronizer");

    public static void main(String[] args) throws Exception {
        FileSystem fs = FileSystems.getFileSystem(URI.create("jrt:/"));
        SortedSet<String> names = new TreeSet<>();
        for (String module : List.of("java.base", "java.sql")) {
            try (Stream<Path> walk = Files.walk(fs.getPath("/modules", module))) {
                walk.map(Path::toString).filter(p -> p.endsWith(".class")).forEach(p ->
                    names.add(p.substring(("/modules/" + module + "/").length(), p.length() - 6).replace('/', '.')));
            }
        }
        System.out.println("# Public types of the JDK, by testdata/generate.sh: name, superclass, interfaces.");
        for (String name : names) {
            int dot = name.lastIndexOf('.');
            if (dot < 0 || !PACKAGES.contains(name.substring(0, dot)) && !ALSO.contains(name)) continue;
            Class<?> c = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
            boolean visible = true;
            for (Class<?> o = c; o != null; o = o.getDeclaringClass()) {
                visible &= (o.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 && !o.isAnonymousClass();
            }
            if (!visible || c.isAnnotation() || c.isAnonymousClass() || c.isLocalClass()) continue;
            Class<?> s = c.getSuperclass();
            String line = name + " " + (c.isInterface() ? "-" : s == null ? "-" : s == Object.class ? "." : s.getName());
            for (Class<?> i : c.getInterfaces()) line += " " + i.getName();
            System.out.println(line);
        }
    }
}
