package duequeue.beans;

import java.math.BigDecimal;

/** Decimals, which not every format carries whole. */
public class Price extends Alike {
    private static final long serialVersionUID = 1L;

    public BigDecimal amount;
    public BigDecimal thousand;
    public BigDecimal tiny;
    public Object any;
}
