package demo;

public enum Color { RED, GREEN, BLUE }
