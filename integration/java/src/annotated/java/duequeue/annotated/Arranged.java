package duequeue.annotated;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Properties in an order of their own, of what @JsonAutoDetect shows, and the shortest names of classes. */
@JsonPropertyOrder({"total", "order_no", "none", "seen"})
@JsonAutoDetect(fieldVisibility = Visibility.PUBLIC_ONLY, getterVisibility = Visibility.PUBLIC_ONLY, isGetterVisibility = Visibility.PUBLIC_ONLY)
public class Arranged {
    public String apple;
    @JsonProperty("order_no")
    private String orderNo;
    @JsonProperty(index = 2)
    public Integer second;
    @JsonProperty(index = 1)
    public Integer first;
    public long total;
    private String hidden;
    private String seen;
    private boolean isPaid;
    public Vehicle vehicle;
    public List<Vehicle> vehicles;
    public Car car;

    /** Names its classes without their package. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS)
    @JsonSubTypes({@JsonSubTypes.Type(Car.class), @JsonSubTypes.Type(Van.class)})
    public abstract static class Vehicle {
        public Integer wheels;

        @Override
        public boolean equals(Object other) {
            return other != null && getClass() == other.getClass() && wheels.equals(((Vehicle) other).wheels);
        }

        @Override
        public int hashCode() {
            return wheels;
        }
    }

    /** A vehicle. */
    public static class Car extends Vehicle {
    }

    /** Another one. */
    @JsonPropertyOrder("wheels")
    public static class Van extends Vehicle {
        public Long load;
    }

    public String getSeen() {
        return seen;
    }

    public void setSeen(String seen) {
        this.seen = seen;
    }

    public boolean isPaid() {
        return isPaid;
    }

    public void setPaid(boolean isPaid) {
        this.isPaid = isPaid;
    }

    static Arranged sample() {
        Arranged a = new Arranged();
        a.apple = "apple";
        a.orderNo = "A-1";
        a.second = 2;
        a.first = 1;
        a.total = 1L << 40;
        a.hidden = "not written";
        a.seen = "seen";
        a.isPaid = true;
        a.car = new Car();
        a.car.wheels = 4;
        Van van = new Van();
        van.wheels = 6;
        van.load = 1L << 33;
        a.vehicle = van;
        a.vehicles = new ArrayList<>(Arrays.asList(a.car, van));
        return a;
    }

    private List<Object> all() {
        return Arrays.asList(apple, orderNo, second, first, total, seen, isPaid, vehicle, vehicles, car);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Arranged && all().equals(((Arranged) other).all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }
}
