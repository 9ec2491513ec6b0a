package tracking

import (
	"bufio"
	"cmp"
	"context"
	"net"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// refusedError says that Redis answers, and does not tell of changes.
type refusedError struct{ err error }

func (e *refusedError) Error() string { return e.err.Error() }
func (e *refusedError) Unwrap() error { return e.err }

// conn is one connection to a node.
type conn struct {
	net.Conn
	frames
	out          []byte // what is not sent yet
	writeTimeout time.Duration
}

// dial connects as the options of a client say, and turns tracking on. What Redis refuses
// for good is a [*refusedError].
func dial(ctx context.Context, o *redisapi.Options, name string) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.DialTimeout+o.ReadTimeout)
	defer cancel()
	raw, err := o.Dialer(ctx, o.Network, o.Addr)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, frames: frames{in: bufio.NewReader(raw)}, writeTimeout: o.WriteTimeout}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	if err := c.greet(ctx, o, name); err != nil {
		stop()
		_ = raw.Close()
		return nil, err
	}
	if !stop() {
		return nil, context.Cause(ctx)
	}
	return c, nil
}

// greet logs in, switches to RESP3 and turns tracking on.
func (c *conn) greet(ctx context.Context, o *redisapi.Options, name string) error {
	hello := []string{"HELLO", "3"}
	user, password := o.Username, o.Password
	if o.CredentialsProviderContext != nil {
		var err error
		if user, password, err = o.CredentialsProviderContext(ctx); err != nil {
			return err
		}
	}
	if password != "" {
		hello = append(hello, "AUTH", cmp.Or(user, "default"), password)
	}
	if name != "" {
		hello = append(hello, "SETNAME", name)
	}
	words := [][]string{hello}
	if o.DB != 0 {
		words = append(words, []string{"SELECT", strconv.Itoa(o.DB)})
	}
	words = append(words, []string{"CLIENT", "TRACKING", "ON"})
	for _, w := range words {
		c.add(w...)
	}
	if err := c.flush(); err != nil {
		return err
	}
	for _, w := range words {
		f, err := c.next()
		if err != nil {
			return err
		}
		if !f.failed() {
			continue
		}
		err = rediserr.Classify(w[0], rediserr.Answer(f.text))
		if rediserr.MayPass(err) {
			return err
		}
		return &refusedError{err}
	}
	return nil
}

// add puts a command behind those that are not sent yet.
func (c *conn) add(words ...string) {
	c.out = append(strconv.AppendInt(append(c.out, '*'), int64(len(words)), 10), '\r', '\n')
	for _, w := range words {
		c.out = append(strconv.AppendInt(append(c.out, '$'), int64(len(w)), 10), '\r', '\n')
		c.out = append(append(c.out, w...), '\r', '\n')
	}
}

// flush sends them.
func (c *conn) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	if c.writeTimeout > 0 {
		_ = c.SetWriteDeadline(time.Now().Add(c.writeTimeout)) // what cannot be set is no worse than none
	}
	_, err := c.Write(c.out)
	if c.out = c.out[:0]; cap(c.out) > maxSpare {
		c.out = nil
	}
	return err
}

// maxSpare is how much room for commands is kept: those of a start are many.
const maxSpare = 16 << 10
