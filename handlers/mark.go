package handlers

// Transient marks err as a failure that passes: something the handler depends on is down or
// busy. The message is retried and the breaker counts it, and it costs no attempt: the
// message is retried without end, at the delays of the queue's backoff, unless the queue
// has a bound (registry.MaxAge). Transient(nil) is nil.
//
// Any error in the chain with a method Transient() bool that returns true is
// marked the same way.
func Transient(err error) error {
	if err == nil {
		return nil
	}
	return &transient{err}
}

// Permanent marks err as a failure that would come again with this message: it
// goes to the dead store now, like [Reject] with the error's text as reason.
// The breaker does not count it. Permanent(nil) is nil.
//
// Any error in the chain with a method Permanent() bool that returns true is
// marked the same way.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type transient struct{ err error }

func (t *transient) Error() string   { return t.err.Error() }
func (t *transient) Unwrap() error   { return t.err }
func (t *transient) Transient() bool { return true }

type permanent struct{ err error }

func (p *permanent) Error() string   { return p.err.Error() }
func (p *permanent) Unwrap() error   { return p.err }
func (p *permanent) Permanent() bool { return true }
