import java.util.stream.Collectors;

/** What became of a message, and of which value. */
record Outcome(String verdict, String detail) {
    private static final java.util.List<String> ORDER = java.util.List.of("unwritten", "same", "default", "loses", "fails", "wrong");
    private static final int LONGEST = 60;

    static final Outcome SAME = new Outcome("same", "");

    static Outcome byDefault(String path) {
        return new Outcome("default", path);
    }

    static Outcome loses(String path) {
        return new Outcome("loses", path);
    }

    static Outcome wrong(String path, Object old, Object now) {
        return new Outcome("wrong", path + " was " + shown(old) + " and is " + shown(now));
    }

    static Outcome fails(Throwable e) {
        return new Outcome("fails", name(e));
    }

    /** The old program cannot write such a message, so that none of them is pending. */
    static Outcome notWritten(Throwable e) {
        return new Outcome("unwritten", name(e));
    }

    private static String name(Throwable e) {
        while (e.getCause() != null && e.getCause().getStackTrace().length > 0) { // River's trace of where it was has none
            e = e.getCause();
        }
        return e.getClass().getSimpleName();
    }

    Outcome worse(Outcome other) {
        return ORDER.indexOf(other.verdict) > ORDER.indexOf(verdict) ? other : this;
    }

    private static String shown(Object value) {
        String text = value instanceof Object[] a ? java.util.Arrays.toString(a) : String.valueOf(value);
        text = String.valueOf(text).replaceAll("@[0-9a-f]{4,}", "");
        text = text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text;
        return text.chars().mapToObj(c -> c < ' ' || c > '~' ? String.format("\\u%04x", c) : String.valueOf((char) c))
            .collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return detail.isEmpty() ? verdict : verdict + " (" + detail + ")";
    }
}
