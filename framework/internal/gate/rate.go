package gate

import (
	"time"

	"golang.org/x/time/rate"
)

// gather is the time for which tokens are gathered where none was left: a refused
// runner is not woken for each single one of a fast rate.
const gather = 10 * time.Millisecond

// bucket is the rate limit of a gate: one token for each permit. Guarded by the gate's
// mutex.
type bucket struct {
	limiter *rate.Limiter
	armed   func() bool // stops the timer that wakes a refused runner; nil when none runs
	until   time.Time   // when it fires
}

// newBucket returns nil where there is no limit.
func newBucket(perSecond float64, burst int) *bucket {
	if perSecond == 0 {
		return nil
	}
	return &bucket{limiter: rate.NewLimiter(rate.Limit(perSecond), burst)}
}

// SetRate bounds the permits from now on: so many a second, and so many that may be saved
// up; 0 is no limit. What was saved up remains, up to burst. Permits that were given keep
// their validity.
func (g *Gate) SetRate(perSecond float64, burst int) {
	g.mu.Lock()
	defer g.unlock()
	if burst = max(burst, 1); g.bucket != nil && perSecond > 0 {
		if l := g.bucket.limiter; float64(l.Limit()) == perSecond && l.Burst() == burst {
			return
		}
		saved := g.bucket.level(g.now())
		g.disarm()
		g.bucket = newBucket(perSecond, burst)
		g.bucket.limiter.AllowN(g.now(), burst-min(max(int(saved), 0), burst))
	} else {
		g.disarm()
		g.bucket = newBucket(perSecond, burst)
	}
	g.limited.Store(g.bucket != nil)
	g.broadcast()
}

// level returns how many tokens there are, never more than the burst.
func (b *bucket) level(now time.Time) float64 { return b.limiter.TokensAt(now) }

// take takes up to n tokens.
func (b *bucket) take(now time.Time, n int) int {
	n = min(n, int(b.level(now)))
	if n <= 0 || !b.limiter.AllowN(now, n) {
		return 0
	}
	return n
}

// giveBack puts tokens back that were not used. The limiter has no call for that, since
// a reservation cannot be cancelled once its time has come; a negative number of events
// does it, and the limiter caps at the burst what it holds.
func (b *bucket) giveBack(now time.Time, n int) { b.limiter.AllowN(now, -n) }

// wait returns how long it takes until there are enough tokens for a fetch of n.
func (b *bucket) wait(now time.Time, n int) time.Duration {
	perSecond := float64(b.limiter.Limit())
	enough := min(n, b.limiter.Burst(), max(int(perSecond*gather.Seconds()), 1))
	missing := float64(enough) - b.level(now)
	if missing <= 0 {
		return 0
	}
	seconds := min(missing/perSecond, (time.Hour * 24 * 365).Seconds())
	return time.Duration(seconds*float64(time.Second)) + time.Microsecond // above what rounding takes
}

// draw takes up to n tokens; all n where there is no limit. Caller holds mu.
func (g *Gate) draw(n int) int {
	if g.bucket == nil {
		return n
	}
	return g.bucket.take(g.now(), n)
}

// Rate returns how many permits there are a second; 0 is no limit.
func (g *Gate) Rate() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bucket == nil {
		return 0
	}
	return float64(g.bucket.limiter.Limit())
}

// refill gives tokens back to the bucket that they were drawn from, unless another one has
// taken its place. Caller holds mu.
func (g *Gate) refill(of *bucket, n int) {
	if g.bucket == nil || g.bucket != of || n <= 0 {
		return
	}
	g.bucket.giveBack(g.now(), n)
	if g.bucket.armed != nil { // somebody waits for tokens
		g.disarm()
		g.broadcast()
	}
}

// refused is the verdict v where no token is left, and arms the timer that wakes who
// was refused. Caller holds mu.
func (g *Gate) refused(v Verdict, n int) Verdict {
	g.disarm()
	d := g.bucket.wait(g.now(), n)
	v.Reason, v.Until, v.Changed = ReasonRate, g.now().Add(d), g.changed
	if g.stopped {
		return v
	}
	g.bucket.until = v.Until
	armed := g.bucket
	g.bucket.armed = g.after(d, func() {
		g.mu.Lock()
		defer g.unlock()
		if g.bucket == armed && armed.armed != nil && !g.now().Before(armed.until) {
			g.disarm()
			g.broadcast()
		}
	})
	return v
}

// disarm stops the timer of refused. Caller holds mu.
func (g *Gate) disarm() {
	if g.bucket != nil && g.bucket.armed != nil {
		g.bucket.armed()
		g.bucket.armed = nil
	}
}
