package control

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Policy is what all processes should declare alike of a queue. Zero values are not known: a
// process that only transfers has few, and one of an older version tells none.
type Policy struct {
	MaxAttempts int    `json:"attempts,omitempty"`
	Timeout     int64  `json:"timeout,omitempty"` // ms
	MaxPayload  int    `json:"payload,omitempty"` // bytes
	View        string `json:"view,omitempty"`
}

// settings are the values of a policy by what registry calls them; "" for one that is not known.
func (p Policy) settings() [][2]string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	timeout := ""
	if p.Timeout > 0 {
		timeout = (time.Duration(p.Timeout) * time.Millisecond).String()
	}
	return [][2]string{{"MaxAttempts", number(p.MaxAttempts)}, {"Timeout", timeout}, {"MaxPayload", number(p.MaxPayload)}, {"View", p.View}}
}

// String lists what is known.
func (p Policy) String() string {
	var parts []string
	for _, s := range p.settings() {
		if s[1] != "" {
			parts = append(parts, s[0]+" "+s[1])
		}
	}
	return strings.Join(parts, ", ")
}

// Difference is a setting that processes which live declare differently.
type Difference struct {
	Setting string
	Values  []PolicyValue // by the processes of each, most in front
}

// PolicyValue is what some processes declare.
type PolicyValue struct {
	Value     string
	Processes []Process
}

// String says how many processes declare it, and names one.
func (v PolicyValue) String() string {
	p := v.Processes[0]
	name := fmt.Sprintf("%s, host %s, pid %d", p.Program, p.Host, p.PID)
	if n := len(v.Processes); n > 1 {
		return fmt.Sprintf("%s in %d processes (one is %s)", v.Value, n, name)
	}
	return fmt.Sprintf("%s in one process (%s)", v.Value, name)
}

// String names the setting and all values.
func (d Difference) String() string {
	parts := make([]string, len(d.Values))
	for i, v := range d.Values {
		parts[i] = v.String()
	}
	return d.Setting + " is " + strings.Join(parts, ", ")
}

// Of returns the value that one process declares, and the others.
func (d Difference) Of(id string) (own string, others []PolicyValue) {
	for _, v := range d.Values {
		if slices.ContainsFunc(v.Processes, func(p Process) bool { return p.ID == id }) {
			own = v.Value
		} else {
			others = append(others, v)
		}
	}
	return own, others
}

// Differences compares what processes declare. Silent ones do not count.
func Differences(all []Process) (found []Difference) {
	for i, s := range (Policy{}).settings() {
		d := Difference{Setting: s[0]}
		for _, p := range all {
			value := p.Policy.settings()[i][1]
			if p.Silent || value == "" {
				continue
			}
			at := slices.IndexFunc(d.Values, func(v PolicyValue) bool { return v.Value == value })
			if at < 0 {
				at, d.Values = len(d.Values), append(d.Values, PolicyValue{Value: value})
			}
			d.Values[at].Processes = append(d.Values[at].Processes, p)
		}
		if len(d.Values) > 1 {
			slices.SortStableFunc(d.Values, func(a, b PolicyValue) int { return cmp.Compare(len(b.Processes), len(a.Processes)) })
			found = append(found, d)
		}
	}
	return found
}
