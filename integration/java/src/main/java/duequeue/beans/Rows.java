package duequeue.beans;

import java.io.Serializable;

/** Arrays of every kind. */
public class Rows implements Serializable {
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
    public Object[] objects;
    public int[][] table;
    public Level[] levels;
    public Address[] addresses;
    public Entity[] entities;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
