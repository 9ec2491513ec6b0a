package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// child is this program once more, in a [role].
type child struct{ *program }

func (b *bench) startChild(r role, number int) (*child, error) {
	spec, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, self) // it ends with us
	cmd.Env = append(os.Environ(), roleEnv+"="+string(spec))
	p, err := startProgram(cmd, b.dir, fmt.Sprintf("child-%d", number))
	if err != nil {
		return nil, err
	}
	return &child{p}, nil
}

// children are several of them on one queue.
type children []*child

func (b *bench) startChildren(r role, n int) (children, error) {
	var all children
	for i := range n {
		c, err := b.startChild(r, i)
		if err != nil {
			all.stop()
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// start makes all of them take and transfer, and returns when the first one began.
func (all children) start() (began time.Time, err error) {
	for i, c := range all {
		at, err := c.micros("start")
		if err != nil {
			return began, err
		}
		if i == 0 {
			began = at
		}
	}
	return began, nil
}

// rest says that what is measured comes next.
func (all children) rest() error {
	for _, c := range all {
		if _, err := c.call("rest"); err != nil {
			return err
		}
	}
	return nil
}

// await waits until n messages were handled in all.
func (all children) await(b *bench, n int, limit time.Duration) (handled, error) {
	err := b.until(limit, 10*time.Millisecond, func() (bool, error) {
		sum := 0
		for _, c := range all {
			text, err := c.call("count")
			if err != nil {
				return false, err
			}
			count, err := strconv.Atoi(text)
			if err != nil {
				return false, err
			}
			sum += count
		}
		return sum >= n, nil
	})
	if err != nil {
		return handled{}, err
	}
	return all.report()
}

// report adds up what all tell; memory is that of the largest one.
func (all children) report() (sum handled, err error) {
	for _, c := range all {
		text, err := c.call("report")
		if err != nil {
			return sum, err
		}
		var h handled
		if err = json.Unmarshal([]byte(text), &h); err != nil {
			return sum, err
		}
		sum.Count += h.Count
		sum.Early += h.Early
		if sum.First == 0 || h.First > 0 && h.First < sum.First {
			sum.First = h.First
		}
		sum.CPU += h.CPU
		sum.Last = max(sum.Last, h.Last)
		if h.Peak > sum.Peak {
			sum.Rest, sum.Peak = h.Rest, h.Peak
		}
	}
	return sum, nil
}

func (all children) stop() {
	for _, c := range all {
		c.stop()
	}
}
