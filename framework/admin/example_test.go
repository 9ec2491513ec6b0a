package admin_test

import (
	"fmt"

	"github.com/duequeue/duequeue/framework/admin"
)

func ExampleACLRules() {
	rules, err := admin.ACLRules(admin.RoleOffer, "ORDER_PAYMENT_TIMEOUT")
	if err != nil {
		panic(err)
	}
	for _, r := range rules[:21] {
		fmt.Println(r)
	}
	// Output:
	// resetkeys
	// resetchannels
	// -@all
	// ~ORDER_PAYMENT_TIMEOUT
	// ~redisson_delay_queue_timeout:{ORDER_PAYMENT_TIMEOUT}
	// ~redisson_delay_queue:{ORDER_PAYMENT_TIMEOUT}
	// ~redisson_delay_queue_channel:{ORDER_PAYMENT_TIMEOUT}
	// &redisson_delay_queue_channel:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:attempts:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:control:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dead:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dedup:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:due:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:ids:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:leases:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:names:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:sessions:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:trace:{ORDER_PAYMENT_TIMEOUT}
	// ~duequeue:dedup:{ORDER_PAYMENT_TIMEOUT}:*
	// ~duequeue:fetches:{ORDER_PAYMENT_TIMEOUT}:*
	// ~duequeue:inflight:{ORDER_PAYMENT_TIMEOUT}:*
}
