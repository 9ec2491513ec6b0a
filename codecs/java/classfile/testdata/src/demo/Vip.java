package demo;

/** Two levels below a generic class, itself generic. */
public final class Vip<P> extends Customer {
    P perk;
    P[] perks;
}
