package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// The queues of a service, as its package declares them.
var (
	PaymentTimeout = registry.Define[string]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
		registry.Codec(codecs.String()))

	NotEvaluated = registry.Define[string]("ORDER_TIMEOUT_NOT_EVALUATED", "not reviewed: default good review",
		registry.Codec(codecs.String()),
		registry.MaxAttempts(10),
		registry.Backoff(registry.Steps(time.Minute, time.Hour)))
)

func Example() {
	queues, err := registry.New(PaymentTimeout, NotEvaluated)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range queues.All() {
		p := q.Policy()
		fmt.Printf("%s (%s)\n  %v by %s, %d attempts\n", q.Code(), q.Title(), q.Type(), p.Codec.Name(), p.MaxAttempts)
	}
	// Output:
	// ORDER_PAYMENT_TIMEOUT (unpaid for 30 minutes: cancel)
	//   string by string, 20 attempts
	// ORDER_TIMEOUT_NOT_EVALUATED (not reviewed: default good review)
	//   string by string, 10 attempts
}

func ExampleDefine() {
	q := registry.Define[int64]("COUPON_EXPIRED", "coupon expired: tell its owner",
		registry.Codec(codecs.Long()), registry.Key("coupon:expired"))

	payload, err := q.Encode(4711)
	fmt.Printf("%s: %q %v\n", q.Key(), payload, err)
	// Output:
	// coupon:expired: "4711" <nil>
}

// Mistakes are found together, each with the place of its declaration.
func ExampleValidate() {
	first := registry.Define[string]("ORDER", "", registry.Codec(codecs.String()))
	second := registry.Define[string]("ORDER", "", registry.Codec(codecs.String()))
	third := registry.Define[string]("REFUND", "", registry.Codec(codecs.String()), registry.Timeout(30))

	err := registry.Validate(first, second, third)
	for line := range strings.SplitSeq(err.Error(), "\n") {
		what, where, _ := strings.Cut(line, " (declared at ")
		what, _, _ = strings.Cut(what, ", first at ")
		fmt.Println(what, strings.Contains(where, "example_test.go:"))
	}
	var twice *registry.DuplicateCodeError
	fmt.Println(errors.As(err, &twice))
	// Output:
	// queue "ORDER" is declared twice true
	// queue "REFUND": option Timeout(30ns): must be at least 1ms: every handler has a limit true
	// true
}

func ExampleExponential() {
	s := registry.Exponential(time.Second, time.Minute)
	for _, attempt := range []int{1, 2, 3, 10} {
		fmt.Println(attempt, s.Delay(attempt, 0), s.Delay(attempt, 0.5), s.Delay(attempt, 0.999))
	}
	// Output:
	// 1 500ms 750ms 999.5ms
	// 2 1s 1.5s 1.999s
	// 3 2s 3s 3.998s
	// 10 30s 45s 59.97s
}

func ExampleSteps() {
	q := registry.Define[string]("SMS", "", registry.Codec(codecs.String()),
		registry.MaxAttempts(registry.Unlimited),
		registry.Backoff(registry.Steps(10*time.Second, time.Minute, time.Hour)))
	fmt.Println(q.Policy().RetryDelay(1), q.Policy().RetryDelay(2), q.Policy().RetryDelay(30))
	// Output:
	// 10s 1m0s 1h0m0s
}

func ExampleScheduleFunc() {
	linear := registry.ScheduleFunc(func(attempt int, rnd float64) time.Duration {
		return time.Duration(attempt)*time.Minute + time.Duration(rnd*float64(time.Second))
	})
	fmt.Println(linear.Delay(3, 0.5))
	// Output:
	// 3m0.5s
}

// errGone and busyError are what a provider of text messages answers.
var errGone = errors.New("number does not exist")

type busyError struct{ queue int }

func (e *busyError) Error() string { return fmt.Sprint("busy, ", e.queue, " before you") }

// Some errors are worth many attempts, and others none.
func ExampleOn() {
	q := registry.Define[string]("SMS", "", registry.Codec(codecs.String()),
		registry.On(registry.ErrorIs(errGone), registry.DeadLetter("wrong number")),
		registry.On(registry.ErrorAs[*busyError](), registry.Attempts(50), registry.BackoffOf(registry.Steps(time.Minute))))

	for _, err := range []error{
		fmt.Errorf("send: %w", errGone),
		fmt.Errorf("send: %w", &busyError{9}),
		errors.New("connection reset"),
	} {
		rule, ok := q.Policy().RuleFor(err)
		outcome := q.Policy().Judge(handlers.Classify(err), 0, 0)
		fmt.Println(outcome.Kind, outcome.Reason, outcome.MaxAttempts, ok)
		if ok {
			fmt.Println(" ", rule)
		}
	}
	// Output:
	// rejected wrong number: send: number does not exist 0 true
	//   On(ErrorIs("number does not exist"), DeadLetter("wrong number"))
	// retried  50 true
	//   On(ErrorAs[*registry_test.busyError](), Attempts(50), BackoffOf(Steps(1m0s)))
	// retried  0 false
}

// A reminder that is more than an hour late is not sent.
func ExampleMaxLateness() {
	q := registry.Define[string]("REMINDER", "", registry.Codec(codecs.String()),
		registry.MaxLateness(time.Hour, registry.Expire))
	fmt.Println(q.Policy().MaxLateness, q.Policy().Late, q.Err())
	// Output:
	// 1h0m0s Expire <nil>
}

// orderQueue is how a service gives all its queues the same options.
func orderQueue[T any](code, title string, opts ...registry.Option) *registry.Queue[T] {
	common := []registry.Option{registry.Codec(codecs.String()), registry.Timeout(10 * time.Second), registry.CallerSkip(1)}
	return registry.Define[T](code, title, append(common, opts...)...)
}

func ExampleCallerSkip() {
	q := orderQueue[string]("ORDER_SHIPPED", "shipped: ask for a review")
	fmt.Println(q.Policy().Timeout, strings.Contains(q.Declared(), "example_test.go:"))
	// Output:
	// 10s true
}

func ExampleSizeError() {
	q := registry.Define[string]("NOTE", "", registry.Codec(codecs.String()), registry.MaxPayload(5))
	_, err := q.Encode("too long")
	fmt.Println(err)
	// Output:
	// queue "NOTE": the payload has 8 bytes, the limit is 5: send less, a reference for example, or define the queue with registry.MaxPayload
}
