package demo;

/** Not serializable, and no field of an interesting kind. */
public class Address {
    String street, city;
    int zip;
}
