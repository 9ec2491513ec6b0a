package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Order is com.example.Order of the Java services.
type Order struct {
	OrderID string `java:"orderId"`
}

// JavaClass is what Java reads the payload as. Without it Java reads a HashMap.
func (Order) JavaClass() string { return "com.example.Order" }

// The queues, as the Java services declare them in their enum of codes.
var (
	PaymentTimeout = registry.Define[Order]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel", registry.Timeout(30*time.Second))
	CancelNotice   = registry.Define[Order]("ORDER_CANCEL_NOTICE", "cancelled: tell the customer", registry.Timeout(30*time.Second))
)

const (
	paymentTime = 30 * time.Minute
	noticeTime  = time.Minute
)

var (
	errNoOrder = errors.New("the order needs an id")
	errTooLate = errors.New("the order is cancelled, or was never placed")
)

// Shop offers messages and takes them back.
type Shop struct {
	timeouts, notices *framework.Queue[Order]
	log               *slog.Logger
}

// NewShop binds the queues to the client. Handlers may take the shop.
func NewShop(client *framework.Client, log *slog.Logger) *Shop {
	return &Shop{framework.Bind(client, PaymentTimeout), framework.Bind(client, CancelNotice), log}
}

// Order places an order that is cancelled when nobody pays. A click that comes twice adds nothing.
func (s *Shop) Order(ctx context.Context, id string) (framework.ID, error) {
	if id == "" {
		return "", errNoOrder
	}
	receipt, err := s.timeouts.Offer(ctx, Order{OrderID: id}, paymentTime, framework.Key(id))
	return receipt.ID, err
}

// Pay takes the timeout back.
func (s *Shop) Pay(ctx context.Context, id string) error {
	err := s.timeouts.CancelKey(ctx, id)
	if errors.Is(err, fault.ErrGone) {
		return errTooLate
	}
	return err
}

// CancelUnpaid handles ORDER_PAYMENT_TIMEOUT.
type CancelUnpaid struct{ shop *Shop }

// NewCancelUnpaid takes what the handler needs from the fx graph.
func NewCancelUnpaid(shop *Shop) *CancelUnpaid { return &CancelUnpaid{shop} }

// Handle cancels the order and offers the next message. It may run twice, as every handler may:
// the key and its window keep the customer from being told twice.
func (h *CancelUnpaid) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	h.shop.log.InfoContext(ctx, "order cancelled", "order", d.Payload.OrderID)
	_, err := h.shop.notices.Offer(ctx, d.Payload, noticeTime, framework.Key(d.Payload.OrderID).Within(24*time.Hour))
	return err
}

// TellCustomer handles ORDER_CANCEL_NOTICE.
type TellCustomer struct{ shop *Shop }

// NewTellCustomer is that of [NewCancelUnpaid].
func NewTellCustomer(shop *Shop) *TellCustomer { return &TellCustomer{shop} }

// Handle tells the customer.
func (h *TellCustomer) Handle(ctx context.Context, d *handlers.Delivery[Order]) error {
	h.shop.log.InfoContext(ctx, "customer told", "order", d.Payload.OrderID)
	return nil
}
