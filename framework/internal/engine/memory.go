package engine

import "github.com/duequeue/duequeue/framework/internal/weight"

// roughWeight is up to what a worker keeps what its payloads may take; of more it looks at
// what they do take.
const roughWeight = 1 << 20

// weigh waits until what the messages may take fits into what this process has for decoded
// payloads. They keep it until their handler returns, or is given up on.
func (ws *handling) weigh(w *worker, js []*job) {
	n := int64(0)
	for _, j := range js {
		n += weight.OfPayload(ws.policy.Codec, j.msg.Body)
	}
	w.weight.Store(ws.memory.Take(ws.base, n))
}

// lighten gives back what the values that were decoded do not take.
func (ws *handling) lighten(w *worker, js []*job) {
	n := w.weight.Load()
	if n <= roughWeight {
		return
	}
	left := n
	for _, j := range js {
		left -= weight.OfValue(j.message.Value, max(left, 0))
	}
	if left > 0 && w.weight.CompareAndSwap(n, n-left) {
		ws.memory.Give(left)
	}
}

// unweigh gives back what the worker has; it may be called again, and by the watchdog.
func (ws *handling) unweigh(w *worker) { ws.memory.Give(w.weight.Swap(0)) }
