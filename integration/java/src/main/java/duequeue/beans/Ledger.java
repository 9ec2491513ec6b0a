package duequeue.beans;

import java.math.BigInteger;
import java.util.Date;
import java.util.UUID;

/** Single values whose spelling depends on the declared type. */
public class Ledger extends Alike {
    private static final long serialVersionUID = 1L;

    public long id;
    public Long boxedId;
    public int count;
    public Integer boxedCount;
    public short small;
    public Short boxedSmall;
    public byte tiny;
    public Byte boxedTiny;
    public double price;
    public Double boxedPrice;
    public float rate;
    public Float boxedRate;
    public char letter;
    public Character boxedLetter;
    public boolean open;
    public Boolean boxedOpen;
    public String text;
    public String missing;
    public BigInteger huge;
    public Date at;
    public UUID uuid;
    public Level level;
    public byte[] blob;
    public Object anyLong;
    public Object anyInt;
    public Object anyText;
    public Object anyDate;
    public Object anyNothing;
}
