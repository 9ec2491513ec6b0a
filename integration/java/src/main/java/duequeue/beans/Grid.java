package duequeue.beans;

/** Arrays of every kind. */
public class Grid extends Alike {
    private static final long serialVersionUID = 1L;

    public boolean[] flags;
    public byte[] bytes;
    public short[] shorts;
    public char[] chars;
    public int[] ints;
    public long[] longs;
    public float[] floats;
    public double[] doubles;
    public String[] strings;
    public Integer[] boxes;
    public Long[] boxedLongs;
    public Object[] objects;
    public int[][] table;
    public Level[] levels;
    public Spot[] spots;
    public Shape[] shapes;
}
