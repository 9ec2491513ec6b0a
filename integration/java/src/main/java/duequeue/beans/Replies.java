package duequeue.beans;

import java.util.List;
import java.util.Map;

/** Fields of generic classes. */
public class Replies extends Alike {
    private static final long serialVersionUID = 1L;

    public Result<List<String>> words;
    public Result<Map<String, Long>> counts;
    public Result<Shape> shape;
    public Pair<String, Long> pair;
    public Box<Long> number;
    public List<Result<Long>> numbers;
    public List<Box<String>> boxes;
}
