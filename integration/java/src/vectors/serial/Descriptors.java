import java.io.*;
import java.util.*;

/** Prints what ObjectOutputStream says of JDK classes: name, serialVersionUID, flags, fields, superclass. */
public class Descriptors {
    static final String[] CLASSES = {
        "java.lang.Number", "java.lang.Boolean", "java.lang.Byte", "java.lang.Short", "java.lang.Integer", "java.lang.Long",
        "java.lang.Character", "java.lang.Float", "java.lang.Double", "java.lang.String", "java.lang.Enum",
        "java.lang.StringBuilder", "java.lang.StringBuffer", "java.lang.String$CaseInsensitiveComparator",
        "java.math.BigInteger", "java.math.BigDecimal",
        "java.util.Date", "java.sql.Date", "java.sql.Time", "java.sql.Timestamp",
        "java.util.UUID", "java.util.Locale", "java.util.Currency", "java.util.BitSet", "java.util.Calendar", "java.util.GregorianCalendar",
        "java.util.TimeZone", "java.util.SimpleTimeZone", "sun.util.calendar.ZoneInfo", "java.util.regex.Pattern", "java.net.URI", "java.net.URL",
        "java.net.InetAddress", "java.net.Inet4Address", "java.net.Inet6Address", "java.net.SocketAddress", "java.net.InetSocketAddress", "java.io.File",
        "java.time.Ser",
        "java.util.ArrayList", "java.util.LinkedList", "java.util.ArrayDeque", "java.util.Vector", "java.util.Stack",
        "java.util.HashSet", "java.util.LinkedHashSet", "java.util.TreeSet", "java.util.PriorityQueue",
        "java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap", "java.util.Hashtable", "java.util.Properties",
        "java.util.IdentityHashMap", "java.util.EnumMap", "java.util.EnumSet$SerializationProxy", "java.util.CollSer",
        "java.util.Arrays$ArrayList",
        "java.util.AbstractMap$SimpleEntry", "java.util.AbstractMap$SimpleImmutableEntry",
        "java.util.Collections$EmptyList", "java.util.Collections$EmptySet", "java.util.Collections$EmptyMap",
        "java.util.Collections$SingletonList", "java.util.Collections$SingletonSet", "java.util.Collections$SingletonMap",
        "java.util.Collections$CopiesList",
        "java.util.Collections$UnmodifiableCollection", "java.util.Collections$UnmodifiableList", "java.util.Collections$UnmodifiableRandomAccessList",
        "java.util.Collections$UnmodifiableSet", "java.util.Collections$UnmodifiableSortedSet", "java.util.Collections$UnmodifiableNavigableSet",
        "java.util.Collections$UnmodifiableMap", "java.util.Collections$UnmodifiableSortedMap", "java.util.Collections$UnmodifiableNavigableMap",
        "java.util.Collections$SynchronizedCollection", "java.util.Collections$SynchronizedList", "java.util.Collections$SynchronizedRandomAccessList",
        "java.util.Collections$SynchronizedSet", "java.util.Collections$SynchronizedSortedSet", "java.util.Collections$SynchronizedNavigableSet",
        "java.util.Collections$SynchronizedMap", "java.util.Collections$SynchronizedSortedMap", "java.util.Collections$SynchronizedNavigableMap",
        "java.util.Collections$ReverseComparator", "java.util.Collections$ReverseComparator2", "java.util.Collections$SetFromMap",
        "java.util.concurrent.ConcurrentHashMap", "java.util.concurrent.ConcurrentHashMap$Segment", "java.util.concurrent.ConcurrentHashMap$KeySetView",
        "java.util.concurrent.ConcurrentHashMap$CollectionView",
        "java.util.concurrent.ConcurrentSkipListMap", "java.util.concurrent.ConcurrentSkipListSet",
        "java.util.concurrent.ConcurrentLinkedQueue", "java.util.concurrent.ConcurrentLinkedDeque",
        "java.util.concurrent.CopyOnWriteArrayList", "java.util.concurrent.CopyOnWriteArraySet",
        "java.util.concurrent.atomic.AtomicBoolean", "java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong",
        "java.util.concurrent.atomic.AtomicReference",
        "java.util.concurrent.locks.ReentrantLock",  "java.util.concurrent.locks.ReentrantLock$Sync", "java.util.concurrent.locks.ReentrantLock$NonfairSync",
        "java.util.concurrent.locks.AbstractQueuedSynchronizer", "java.util.concurrent.locks.AbstractOwnableSynchronizer",
        "[Z", "[B", "[S", "[I", "[J", "[C", "[F", "[D", "[[I", "[[J", "[[B", "[[D",
        "[Ljava.lang.Object;", "[Ljava.lang.String;", "[Ljava.lang.Enum;", "[Ljava.lang.Integer;", "[Ljava.lang.Long;", "[Ljava.lang.Double;",
        "[Ljava.lang.Boolean;", "[Ljava.lang.Number;", "[Ljava.math.BigDecimal;", "[Ljava.math.BigInteger;", "[Ljava.util.Date;", "[Ljava.util.UUID;",
        "[[Ljava.lang.String;", "[[Ljava.lang.Object;", "[Ljava.util.List;", "[Ljava.util.Map;", "[Ljava.util.concurrent.ConcurrentHashMap$Segment;",
        "[Ljava.lang.StackTraceElement;", "[Ljava.lang.Class;", "[Ljava.time.LocalDate;", "[Ljava.time.LocalDateTime;", "[Ljava.time.Instant;",
        "[Ljava.lang.Byte;", "[Ljava.lang.Short;", "[Ljava.lang.Character;", "[Ljava.lang.Float;",
        "java.lang.StackTraceElement", "java.lang.Throwable", "java.lang.Exception", "java.lang.RuntimeException", "java.lang.Error",
        "java.lang.IllegalStateException", "java.lang.IllegalArgumentException",
    };

    public static void main(String[] a) throws Exception {
        for (String name : CLASSES) {
            Class<?> c = Class.forName(name);
            ObjectStreamClass d = ObjectStreamClass.lookup(c);
            ByteArrayOutputStream b = new ByteArrayOutputStream();
            ObjectOutputStream o = new ObjectOutputStream(b);
            o.writeObject(d);
            o.close();
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(b.toByteArray()));
            in.skipBytes(5);
            if (!in.readUTF().equals(name)) throw new IllegalStateException(name);
            long uid = in.readLong();
            StringBuilder s = new StringBuilder(name + "\t" + uid + "\t" + in.read() + "\t");
            int n = in.readUnsignedShort();
            List<String> sigs = new ArrayList<>();
            String sep = "";
            ObjectStreamField[] fs = d.getFields();
            for (int i = 0; i < n; i++) {
                s.append(sep).append(fs[i].getName()).append(' ').append(fs[i].isPrimitive() ? "" + fs[i].getTypeCode() : fs[i].getTypeString());
                sep = ",";
            }
            Class<?> sup = c.isArray() ? null : c.getSuperclass();
            String superName = sup != null && ObjectStreamClass.lookup(sup) != null && !c.isArray() ? sup.getName() : "";
            System.out.println(s + "\t" + superName);
        }
    }
}
