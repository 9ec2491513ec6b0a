// Prints the rows of javatext.tsv: java Capture.java
// Doubles and floats that JDK 19 and later print in a shorter form (JDK-4511638)
// were left out of the table.
import java.nio.charset.*; import java.util.*;
public class Capture { public static void main(String[] a) throws Exception {
 Random r=new Random(7); byte[] pool={(byte)0x41,(byte)0x80,(byte)0xBF,(byte)0xA0,(byte)0x9F,(byte)0x90,(byte)0x8F,(byte)0xC1,(byte)0xC2,(byte)0xE0,(byte)0xED,(byte)0xE4,(byte)0xEF,(byte)0xF0,(byte)0xF1,(byte)0xF4,(byte)0xF5,(byte)0xB8,(byte)0xFF};
 HexFormat h=HexFormat.of();
 for(int i=0;i<3000;i++){ byte[] b=new byte[1+r.nextInt(6)]; for(int j=0;j<b.length;j++) b[j]=pool[r.nextInt(pool.length)];
  System.out.println("utf8\t"+h.formatHex(b)+"\t"+h.formatHex(new String(b,StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8))); }
 for(int i=0;i<20000;i++){ double d= i%4==0?Double.longBitsToDouble(r.nextLong()): i%4==1? r.nextInt(100000000)/100.0 : i%4==2? r.nextDouble()*1000 : (r.nextInt(2000)-1000)*Math.pow(10,r.nextInt(40)-20);
  System.out.println("d\t"+Long.toHexString(Double.doubleToRawLongBits(d))+"\t"+d); }
 for(int i=0;i<20000;i++){ float d= i%2==0?Float.intBitsToFloat(r.nextInt()): r.nextInt(1000000)/100.0f;
  System.out.println("f\t"+Integer.toHexString(Float.floatToRawIntBits(d))+"\t"+d); }
 String[] ps={"1","+1","-1"," 1.5 ","1.5f","1.5D","1e5","1E400","-1e400","1e-400","NaN","-NaN","+NaN","nan","Infinity","-Infinity","+Infinity","inf","Inf","0x1p3","0x1.8p1","0x1.8p1f","0x1f","0x1","0x1.8p1d","1_0","0x_1p4","","  ","d","1d","1dd",".5","5.","5.d",".","e5","1e","1e+5","0x.8p0","0x.p0","+","-","0b1","1e5f","0X1P3D","1\u00a0","\u000b1"};
 for(String p:ps){ String o; try{ o=Double.toString(Double.valueOf(p)); }catch(NumberFormatException e){o="ERR";} System.out.println("p\t"+h.formatHex(p.getBytes("UTF-8"))+"\t"+o);}
}}
