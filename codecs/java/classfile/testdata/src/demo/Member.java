package demo;

public class Member extends Active<Member> {
    String name;
}
