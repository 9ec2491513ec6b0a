package duequeue.beans;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Map;

/** One field of every everyday class that can be null. */
public class Everything implements Serializable {
    private static final long serialVersionUID = 1L;

    public Boolean flag;
    public Byte tiny;
    public Short small;
    public Integer whole;
    public Long large;
    public Float single;
    public Double exact;
    public Character letter;
    public String text;
    public Date date;
    public BigDecimal amount;
    public BigInteger huge;
    public List<String> list;
    public Map<String, Integer> map;
    public int[] ints;
    public Object[] objects;
    public Address address;
    public Customer customer;
    public Level level;
    public LocalDate day;
    public Object any;

    @Override
    public boolean equals(Object other) {
        return Same.objects(this, other);
    }

    @Override
    public int hashCode() {
        return Same.hash(this);
    }
}
