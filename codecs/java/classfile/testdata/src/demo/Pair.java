package demo;

import java.util.List;

public record Pair<A, B>(A left, List<B> right) {}
