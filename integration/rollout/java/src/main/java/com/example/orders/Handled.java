package com.example.orders;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** What was handled, for whoever keeps the accounts. */
@Component
public class Handled {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    void add(QueueCode code, Order order) {
        lines.add(code + " " + order.getId() + " " + order.getDueAt() + " " + System.currentTimeMillis());
    }

    List<String> lines() {
        return lines;
    }
}
