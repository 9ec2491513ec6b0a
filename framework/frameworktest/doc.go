// Package frameworktest tests what a service does with its queues, in virtual time:
// the real engine, scripts, codecs, retries and breaker on an in-memory Redis, inside
// a bubble of testing/synctest. Half an hour passes in a millisecond, no server is
// needed, and nothing depends on how fast the machine is.
//
//	func TestUnpaidOrderIsCancelled(t *testing.T) {
//		frameworktest.Run(t, func(t *testing.T, k *frameworktest.Kit) {
//			orders := NewOrders()
//			frameworktest.Handle(k, PaymentTimeout, NewCancelUnpaid(orders))
//
//			frameworktest.Offer(k, PaymentTimeout, Order{ID: "100"}, 30*time.Minute)
//			k.Advance(29 * time.Minute)
//			k.RequireHandled(PaymentTimeout, 0)
//			k.Advance(time.Minute)
//			k.RequireHandled(PaymentTimeout, 1)
//		})
//	}
//
// [HandleBatch] takes batch handlers: each message is a call, and tells how large its
// batch was.
//
// Everything runs in the bubble's one clock: the test, the handlers, the engine and Redis.
// A handler that sleeps makes virtual time pass like anything else. Whatever leaves the
// bubble does not work: a handler under test must not use real sockets; files are fine.
//
// The server is not Redis (see package embedded): it proves nothing about persistence,
// memory limits, clusters, or sharing queues with Java. Use a real Redis for those.
//
// [RunModule] takes the service's own fx module instead, and so tests its wiring, too.
package frameworktest
