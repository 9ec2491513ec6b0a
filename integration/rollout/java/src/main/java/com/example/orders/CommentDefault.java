package com.example.orders;

import org.springframework.stereotype.Component;

/** Praises by default. */
@Component("commentDefault")
public class CommentDefault implements DelayHandler {
    private final Handled handled;

    public CommentDefault(Handled handled) {
        this.handled = handled;
    }

    @Override
    public void execute(Order order) {
        handled.add(QueueCode.ORDER_COMMENT_DEFAULT, order);
    }
}
