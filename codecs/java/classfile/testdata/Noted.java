package noted;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;

/** Annotations with elements of all kinds, in all places. */
@Noted.All(text = "订单", texts = {"a", "b,c"}, inner = @Noted.Seen("x"), size = Noted.Size.BIG, type = List.class)
public class Noted {
    enum Size { SMALL, BIG }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Seen { String value() default ""; }

    @Retention(RetentionPolicy.CLASS)
    @interface Hidden { int value(); }

    @Retention(RetentionPolicy.RUNTIME)
    @interface All {
        String text() default "";
        String[] texts() default {};
        Seen inner() default @Seen;
        Size size() default Size.SMALL;
        Class<?> type() default Object.class;
        boolean yes() default false;
        byte b() default 0;
        short s() default 0;
        int i() default 0;
        long l() default 0;
        float f() default 0;
        double d() default 0;
        char c() default 0;
        Class<?>[] types() default {};
    }

    @Hidden(7)
    @All(yes = true, b = -1, s = -2, i = -3, l = 1L << 40, f = 1.5f, d = 2.5, c = 'é', types = {int[].class, Size.class})
    private String field;

    @Seen("getter")
    public String getField() { return field; }

    public void setField(int plain, @Seen("parameter") String field) { this.field = field; }
}
