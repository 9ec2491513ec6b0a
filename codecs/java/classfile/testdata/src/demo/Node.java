package demo;

import java.util.List;

/** Refers to itself. */
public class Node {
    List<Node> kids;
    String n;
    Node next;
}
