package duequeue.annotated;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/** Enums that are texts of their own. */
public class Graded implements Serializable {
    private static final long serialVersionUID = 1;

    Grade grade;
    Stage stage;
    List<Grade> grades;
    List<Stage> stages;
    TreeMap<Grade, Integer> byGrade;
    TreeMap<Stage, Integer> byStage;

    private Object[] all() {
        return new Object[] {grade, stage, grades, stages, byGrade, byStage};
    }

    @Override
    public boolean equals(Object other) {
        return other != null && getClass() == other.getClass() && Objects.deepEquals(all(), ((Graded) other).all());
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(grade);
    }
}
