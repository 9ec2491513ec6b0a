package com.example.orders;

/** Handles what is due in one queue. */
public interface DelayHandler {
    void execute(Order order);
}
