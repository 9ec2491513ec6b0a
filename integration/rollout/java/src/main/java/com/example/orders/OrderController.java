package com.example.orders;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Orders come in here. */
@RestController
public class OrderController {
    private final DelayQueueRunner queues;
    private final Handled handled;

    public OrderController(DelayQueueRunner queues, Handled handled) {
        this.queues = queues;
        this.handled = handled;
    }

    @PostMapping("/orders")
    public void offer(@RequestParam("code") QueueCode code, @RequestParam("id") long id, @RequestParam("delay") long delayMs) {
        queues.offer(code, new Order(id, "sku-" + id % 7, System.currentTimeMillis() + delayMs), delayMs);
    }

    @PostMapping("/consume")
    public void consume(@RequestParam("code") QueueCode code, @RequestParam("on") boolean on) {
        queues.consume(code, on);
    }

    @GetMapping(value = "/handled", produces = "text/plain")
    public String handled() {
        List<String> lines = handled.lines();
        return String.join("\n", lines);
    }
}
