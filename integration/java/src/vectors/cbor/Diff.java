package duequeue.diff;

import java.util.*;
import java.math.*;
import java.io.*;
import java.util.concurrent.atomic.*;
import io.netty.buffer.*;
import org.redisson.client.codec.Codec;

/**
 * Writes random values with the codecs of a released Redisson. A row is codec, class of the value, hex:
 *
 *   javac -cp "$JARS/*" -d . Diff.java
 *   java -cp ".:$JARS/*" duequeue.diff.Diff 170 11 CborJacksonCodec | cut -f1,3,4 | awk -F'\\t' 'length($3) < 2400' > random-VERSION.tsv
 *
 * JARS holds the jars of the release and what its POM names for the codec. The arguments are how many values, where the
 * random numbers begin, and the codecs. Values that Java refuses to write have no row.
 */
public class Diff {
    public enum Color { RED, GREEN_AND_QUITE_LONG_NAME, BLUE }
    public static class Leaf {
        public int n;
        public String s;
        public Leaf() {
        }
        Leaf(Random r) {
            n=r.nextInt();
            s=str(r);
        }
    }
    public static final class Fin {
        public long l;
        public Fin() {
        }
        Fin(Random r) {
            l=r.nextLong();
        }
    }
    public static class Bean {
        public long a;
        public Long b;
        public int c;
        public Integer d;
        public double e;
        public Double f;
        public float g;
        public Float h;
        public short i;
        public byte j;
        public char k='x';
        public boolean l;
        public String m;
        public BigDecimal n;
        public BigInteger o;
        public Date p;
        public UUID q;
        public byte[] r;
        public int[] s;
        public long[] t;
        public List<Long> u;
        public Map<String,Object> v;
        public Object w;
        public Color x;
        public Leaf y;
        public Fin z;
        public List<Leaf> aa;
        public Set<String> ab;
        public Map<Integer,String> ac;
        public Map<Long,Leaf> ad;
        public Object[] ae;
        public String[] af;
        public double[] ag;
        public Number ah;
        public Leaf[] ai;
        public Map<String,Long> aj;
        public Short ak;
        public Byte al;
        public Character am;
        public Bean() {
        }
        Bean(Random R,int d) {
            a=lng(R);
            if(R.nextBoolean()) b=lng(R);
            c=R.nextInt();
            if(R.nextBoolean()) this.d=R.nextInt(300);
            e=dbl(R);
            f=dbl(R);
            g=flt(R);
            if(R.nextBoolean()) h=flt(R);
            i=(short)R.nextInt();
            j=(byte)R.nextInt();
            l=R.nextBoolean();
            m=str(R);
            n=R.nextBoolean()?null:dec(R);
            o=R.nextBoolean()?null:big(R);
            p=new Date(lng(R));
            q=new UUID(R.nextLong(),R.nextLong());
            r=new byte[R.nextInt(30)];
            R.nextBytes(r);
            s=new int[R.nextInt(4)];
            for(int q=0;q<s.length;q++) s[q]=R.nextInt();
            t=new long[R.nextInt(4)];
            for(int q=0;q<t.length;q++) t[q]=lng(R);
            u=new ArrayList<>();
            for(int q=R.nextInt(3);q>0;q--) u.add(lng(R));
            if(d>0) {
                v=new LinkedHashMap<>();
                for(int q=R.nextInt(4);q>0;q--) v.put(key(R),value(R,d-1));
                w=value(R,d-1);
                ae=new Object[R.nextInt(3)];
                for(int q=0;q<ae.length;q++) ae[q]=value(R,d-1);
            }
            x=Color.values()[R.nextInt(3)];
            y=new Leaf(R);
            z=new Fin(R);
            aa=new LinkedList<>();
            for(int q=R.nextInt(3);q>0;q--) aa.add(new Leaf(R));
            ab=new TreeSet<>();
            for(int q=R.nextInt(3);q>0;q--) ab.add(str(R));
            ac=new HashMap<>();
            for(int q=R.nextInt(3);q>0;q--) ac.put(R.nextInt(),str(R));
            ad=new TreeMap<>();
            for(int q=R.nextInt(3);q>0;q--) ad.put(lng(R),new Leaf(R));
            af=new String[]{str(R),null};
            ag=new double[]{dbl(R)};
            ah=R.nextBoolean()?(Number)lng(R):(Number)dbl(R);
            ai=new Leaf[]{new Leaf(R)};
            aj=new LinkedHashMap<>();
            aj.put(key(R),lng(R));
            ak=(short)R.nextInt();
            al=(byte)R.nextInt();
            am=(char)('a'+R.nextInt(26));
        }
    }
    static long lng(Random r) {
        switch(r.nextInt(6)) {
            case 0: return r.nextLong();
            case 1: return r.nextInt();
            case 2: return r.nextInt(300)-150;
            case 3: {
                long b=1L<<r.nextInt(64);
                return b+r.nextInt(3)-1;
            }
            case 4: {
                long b=-(1L<<r.nextInt(64));
                return b+r.nextInt(3)-1;
            }
            default: return r.nextLong()>>>r.nextInt(64);
        }
    }
    static double dbl(Random r) {
        switch(r.nextInt(5)) {
            case 0: return r.nextInt(1000)/100.0;
            case 1: return Double.longBitsToDouble(r.nextLong());
            case 2: return r.nextInt();
            case 3: return new double[]{0.0,-0.0,Double.NaN,Double.POSITIVE_INFINITY,Double.NEGATIVE_INFINITY,Double.MIN_VALUE,Double.MAX_VALUE}[r.nextInt(7)];
            default: return r.nextGaussian()*Math.pow(10,r.nextInt(40)-20);
        }
    }
    static double fin(double d) {
        return Double.isNaN(d)? Double.NaN : d;
    }
    static float flt(Random r) {
        switch(r.nextInt(3)) {
            case 0: return r.nextFloat();
            case 1: return new float[]{0f,-0f,Float.NaN,Float.POSITIVE_INFINITY,Float.MIN_VALUE,Float.MAX_VALUE,1.5f}[r.nextInt(7)];
            default: return (float)(r.nextGaussian()*1e10);
        }
    }
    static BigInteger big(Random r) {
        BigInteger b=new BigInteger(r.nextInt(200),r);
        if(r.nextInt(3)==0) b=BigInteger.ONE.shiftLeft(r.nextInt(140)).add(BigInteger.valueOf(r.nextInt(3)-1));
        if(r.nextInt(4)==0) b=BigInteger.valueOf(lng(r));
        return r.nextBoolean()?b:b.negate();
    }
    static BigDecimal dec(Random r) {
        switch(r.nextInt(4)) {
            case 0: return BigDecimal.valueOf(lng(r));
            case 1: return new BigDecimal(BigInteger.valueOf(r.nextInt(100000)-50000), r.nextInt(20)-8);
            case 2: return BigDecimal.valueOf(r.nextInt(1000000),2);
            default: return new BigDecimal(big(r), r.nextInt(60)-30);
        }
    }
    static final String[] PIECES={"a","x","\u00e9","\u4e2d","\ud83d\ude00","\"","\\","\n","\u0000","\u007f","\u2028","@class"," ","\u20ac"};
    static String str(Random r) {
        int n;
        switch(r.nextInt(12)) {
            case 0: n=22+r.nextInt(4);
            break;
            case 1: n=30+r.nextInt(4);
            break;
            case 2: n=253+r.nextInt(5);
            break;
            case 3: n=r.nextInt(40)==0? 3990+r.nextInt(10):r.nextInt(100);
            break;
            case 4: n=r.nextInt(80)==0?65530+r.nextInt(10):r.nextInt(10);
            break;
            default: n=r.nextInt(12);
        }
        StringBuilder sb=new StringBuilder();
        boolean ascii=r.nextBoolean();
        String one=PIECES[r.nextInt(PIECES.length)];
        boolean mono=r.nextInt(3)==0;
        while(sb.length()<n) sb.append(ascii? ""+(char)(32+r.nextInt(95)) : mono? one: PIECES[r.nextInt(PIECES.length)]);
        return sb.toString();
    }
    static String key(Random r) {
        return r.nextInt(5)==0? str(r): "k"+r.nextInt(1000);
    }
    static Object value(Random r,int d) {
        int k=r.nextInt(d>0?36:24);
        switch(k) {
            case 0: return null;
            case 1: return r.nextBoolean();
            case 2: return (byte)r.nextInt();
            case 3: return (short)r.nextInt();
            case 4: case 5: return r.nextInt(4)==0? r.nextInt(): (int)lng(r);
            case 6: case 7: return lng(r);
            case 8: return flt(r);
            case 9: case 10: return dbl(r);
            case 11: return big(r);
            case 12: return dec(r);
            case 13: case 14: case 15: return str(r);
            case 16: return (char)('a'+r.nextInt(26));
            case 17: {
                byte[] b=new byte[r.nextInt(300)];
                r.nextBytes(b);
                return b;
            }
            case 18: return new Date(lng(r));
            case 19: return new UUID(r.nextLong(),r.nextLong());
            case 20: return Color.values()[r.nextInt(3)];
            case 21: return new AtomicLong(lng(r));
            case 22: return Currency.getInstance("EUR");
            case 23: return new Leaf(r);
            case 24: case 25: case 26: {
                List<Object> l= r.nextBoolean()? new ArrayList<>(): new LinkedList<>();
                for(int i=r.nextInt(6);i>0;i--) l.add(value(r,d-1));
                return l;
            }
            case 27: case 28: {
                Map<Object,Object> m=new LinkedHashMap<>();
                for(int i=r.nextInt(6);i>0;i--) m.put(key(r),value(r,d-1));
                return m;
            }
            case 29: {
                Map<Object,Object> m=new HashMap<>();
                for(int i=r.nextInt(6);i>0;i--) m.put(r.nextBoolean()?(Object)lng(r):(Object)r.nextInt(),value(r,d-1));
                return m;
            }
            case 30: {
                Object[] a=new Object[r.nextInt(4)];
                for(int i=0;i<a.length;i++) a[i]=value(r,d-1);
                return a;
            }
            case 31: {
                int[] a=new int[r.nextInt(40)];
                for(int i=0;i<a.length;i++) a[i]=(int)lng(r);
                return a;
            }
            case 32: {
                Set<Object> l=new LinkedHashSet<>();
                for(int i=r.nextInt(4);i>0;i--) l.add(str(r));
                return l;
            }
            case 33: {
                long[] a=new long[r.nextInt(4)];
                for(int i=0;i<a.length;i++) a[i]=lng(r);
                return a;
            }
            case 34: {
                String[] a=new String[r.nextInt(4)];
                for(int i=0;i<a.length;i++) a[i]=str(r);
                return a;
            }
            default: return new Bean(r,d-1);
        }
    }
    public static void main(String[] a) throws Exception {
        PrintStream out=new PrintStream(new BufferedOutputStream(System.out,1<<16));
        int n=Integer.parseInt(a[0]);
        long seed=Long.parseLong(a[1]);
        int fails=0;
        Codec[] cs=new Codec[a.length-2];
        for(int i=0;i<cs.length;i++) cs[i]=(Codec)Class.forName("org.redisson.codec."+a[i+2]).getDeclaredConstructor().newInstance();
        for(int i=0;i<n;i++) {
            Random r=new Random(seed*1000003+i);
            Object v=value(r,3);
            for(int c=0;c<cs.length;c++) try {
                out.println(a[c+2]+"\t"+i+"\t"+(v==null?"null":v.getClass().getName())+"\t"+ByteBufUtil.hexDump(cs[c].getValueEncoder().encode(v)));
            }
            catch(Throwable t) {
                fails++;
            }
        }
        out.flush();
        System.err.println("fails "+fails);
    }
}
