package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Order is what the Java services put on the queues: a java.util.HashMap with
// these keys.
type Order struct {
	OrderID string `java:"orderId"`
	Remark  string `java:"remark"`
}

// The Go twin of the Java enum of queue codes. The codec is Redisson's default, Kryo 5.
var (
	PaymentTimeout  = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "order payment timed out: cancel the order")
	NotEvaluated    = registry.Define[Order]("ORDER_TIMEOUT_NOT_EVALUATED", "order not reviewed: default good review")
	NotAccepted     = registry.Define[Order]("ORDER_MERCHANT_NOT_ACCEPTED", "merchant does not accept within 5 minutes: cancel")
	DeliveryTimeout = registry.Define[Order]("ORDER_DELIVERY_TIMEOUT", "delivery is late: send a text message")
	CancelNotice    = registry.Define[Order]("ORDER_CANCEL_NOTICE", "order cancelled: tell the customer")
)

// Orders and Reviews stand for the services that handlers need. They tell which order
// they changed, for whoever listens.
type (
	Orders struct {
		log  *slog.Logger
		told chan string
	}
	Reviews struct {
		log     *slog.Logger
		written chan string
	}
)

func NewOrders(log *slog.Logger) *Orders   { return &Orders{log, make(chan string, 1)} }
func NewReviews(log *slog.Logger) *Reviews { return &Reviews{log, make(chan string, 1)} }

// CancelUnpaid handles ORDER_PAYMENT_TIMEOUT: it cancels the order, and offers the message that
// tells the customer later.
type CancelUnpaid struct {
	orders  *Orders
	notices *framework.Queue[Order]
	after   time.Duration
}

func NewCancelUnpaid(orders *Orders, client *framework.Client, s settings) *CancelUnpaid {
	return &CancelUnpaid{orders, framework.Bind(client, CancelNotice), s.notice}
}

func (h *CancelUnpaid) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	report(ctx, h.orders.log, "order cancelled", d)
	// A handler may run twice: the key keeps the customer from being told twice.
	_, err := h.notices.Offer(ctx, d.Payload, h.after, framework.Key(d.Payload.OrderID).Within(time.Hour))
	return err
}

// TellCustomer handles ORDER_CANCEL_NOTICE.
type TellCustomer struct{ orders *Orders }

func NewTellCustomer(orders *Orders) *TellCustomer { return &TellCustomer{orders} }

func (h *TellCustomer) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	report(ctx, h.orders.log, "customer told", d)
	tell(h.orders.told, d.Payload.OrderID)
	return nil
}

// PraiseByDefault handles ORDER_TIMEOUT_NOT_EVALUATED.
type PraiseByDefault struct{ reviews *Reviews }

func NewPraiseByDefault(reviews *Reviews) *PraiseByDefault { return &PraiseByDefault{reviews} }

func (h *PraiseByDefault) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	report(ctx, h.reviews.log, "good review written", d)
	tell(h.reviews.written, d.Payload.OrderID)
	return nil
}

// tell passes an order on if somebody listens; a handler never waits for that.
func tell(listener chan<- string, order string) {
	select {
	case listener <- order:
	default:
	}
}

func report(ctx context.Context, log *slog.Logger, what string, d *handlers.Delivery[Order]) {
	args := []any{"code", d.Code(), "order", d.Payload.OrderID, "remark", d.Payload.Remark}
	if due, known := d.Due(); known {
		late, _ := d.Lateness()
		args = append(args, "due", due.Format(time.TimeOnly+".000"), "actual", due.Add(late).Format(time.TimeOnly+".000"), "late", late.Round(100*time.Microsecond))
	}
	log.InfoContext(ctx, what, args...)
}
