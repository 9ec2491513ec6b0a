package demo;

import java.util.Map;

/** Constants with and without bodies, with arguments that are made by constructors, and fields. */
public enum Op {
    ADD("+", new StringBuilder("a")) {
        @Override
        int apply(int a, int b) { return a + b; }
    },
    NONE("", new Object()),
    SUB("-", Map.of("k", new Object[] {new Object(), new long[1L > 0 ? 3 : 4]})) {
        @Override
        int apply(int a, int b) {
            switch (a) {
                case 1: return 1;
                case 2: return 3;
                default: return a - b;
            }
        }
    };

    static final Op DEFAULT = NONE;
    final String sign;
    final Object with;

    Op(String sign, Object with) {
        this.sign = sign;
        this.with = with;
    }

    int apply(int a, int b) { return 0; }
}
