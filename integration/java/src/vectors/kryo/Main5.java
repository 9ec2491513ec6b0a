import java.util.List;

/** Beans of the vectors: a list that a test fills. */
final class Main5 {
    private Main5() {
    }

    public static class IL {
        List<String> f;

        IL() {
        }

        IL(List<String> l) {
            f = l;
        }
    }
}
