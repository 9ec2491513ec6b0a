import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.redisson.client.codec.Codec;

/**
 * Prints codecs/catalog/testdata/libraries.tsv: beans with maps, lists and dates of libraries in their
 * fields, by the codecs of a release.
 *
 * <pre>
 * cp="target/3.19.0/lib/*:fastjson-1.2.83.jar:hutool-core-5.8.26.jar:hutool-json-5.8.26.jar:spring-core-5.3.31.jar:spring-jcl-5.3.31.jar:guava-31.1-jre.jar"
 * java -cp "$cp" src/vectors/libraries/Libraries.java
 * </pre>
 */
public final class Libraries {
    private Libraries() {
    }

    public static class Fastjson implements Serializable {
        private static final long serialVersionUID = 1L;
        public com.alibaba.fastjson.JSONObject ext = new com.alibaba.fastjson.JSONObject();
        public com.alibaba.fastjson.JSONArray arr = new com.alibaba.fastjson.JSONArray();
        public Map<String, Object> map;
        public List<Object> list;

        void fill() {
            ext.put("a", 1);
            ext.put("large", 1L << 40);
            arr.add("x");
            arr.add(2);
            map = ext;
            list = arr;
        }
    }

    public static class Hutool implements Serializable {
        private static final long serialVersionUID = 1L;
        public cn.hutool.json.JSONObject ext = new cn.hutool.json.JSONObject();
        public cn.hutool.json.JSONArray arr = new cn.hutool.json.JSONArray();
        public Date at = new cn.hutool.core.date.DateTime(1700000000123L);
        public List<Date> more = new ArrayList<>(List.of(new Date(5), new cn.hutool.core.date.DateTime(6)));

        void fill() {
            ext.set("a", 1);
            arr.add("x");
        }
    }

    public static class Spring implements Serializable {
        private static final long serialVersionUID = 1L;
        public org.springframework.util.LinkedMultiValueMap<String, String> form = new org.springframework.util.LinkedMultiValueMap<>();

        void fill() {
            form.add("a", "1");
            form.add("a", "2");
        }
    }

    public static class Guava implements Serializable {
        private static final long serialVersionUID = 1L;
        public com.google.common.collect.ImmutableList<String> list = com.google.common.collect.ImmutableList.of("a", "b");
    }

    public static void main(String[] args) throws Exception {
        Fastjson fastjson = new Fastjson();
        fastjson.fill();
        Hutool hutool = new Hutool();
        hutool.fill();
        Spring spring = new Spring();
        spring.fill();
        for (String codec : "kryo5 jsonjackson typedjsonjackson marshalling serialization".split(" ")) {
            for (Object bean : new Object[] {fastjson, hutool, spring, new Guava()}) {
                try {
                    ByteBuf bytes = codec(codec, bean.getClass()).getValueEncoder().encode(bean);
                    System.out.println(codec + "\t" + bean.getClass().getSimpleName() + "\t" + ByteBufUtil.hexDump(bytes));
                    bytes.release();
                } catch (Exception e) {
                    System.err.println(codec + " does not write " + bean.getClass() + ": " + e);
                }
            }
        }
    }

    private static Codec codec(String name, Class<?> type) throws Exception {
        Map<String, String> classes = new LinkedHashMap<>(Map.of("kryo5", "Kryo5", "jsonjackson", "JsonJackson", "typedjsonjackson", "TypedJsonJackson",
            "marshalling", "Marshalling", "serialization", "Serialization"));
        Class<?> codec = Class.forName("org.redisson.codec." + classes.get(name) + "Codec");
        return (Codec) (name.startsWith("typed") ? codec.getConstructor(Class.class).newInstance(type) : codec.getConstructor().newInstance());
    }
}
