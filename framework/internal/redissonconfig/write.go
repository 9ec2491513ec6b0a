package redissonconfig

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// order is that of our fields in what is written.
var order = []string{
	"client_name", "redis.url", "redis.addrs", "redis.mode", "redis.master_name", "redis.db", "redis.username", "redis.password",
	"redis.sentinel_username", "redis.sentinel_password", "redis.dial_timeout", "redis.read_timeout", "redis.write_timeout",
	"redis.pool_size", "redis.pool_idle", "redis.tls.enabled", "redis.tls.insecure_skip_verify",
}

// origins says where each field of ours comes from, as errors name places.
func (r *Reading) origins() map[string]string {
	out := map[string]string{}
	for path, f := range r.fields {
		out[path] = f.from[0].At
	}
	return out
}

// YAML writes the configuration of package framework: each field behind a comment that names
// the settings it comes from, then all other settings, with what becomes of them.
func (r *Reading) YAML() []byte {
	var b strings.Builder
	reader := "Redisson"
	if r.src.Release != "" {
		reader += " " + r.src.Release
	}
	comment(&b, "", fmt.Sprintf("%s, as %s reads it.", r.src.File, reader))
	var open []string
	for _, path := range order {
		f, ok := r.fields[path]
		if !ok {
			continue
		}
		keys := strings.Split(path, ".")
		open = openKeys(&b, open, keys[:len(keys)-1])
		indent := strings.Repeat("  ", len(keys)-1)
		for _, n := range f.from {
			comment(&b, indent, n.text(false))
		}
		f.write(&b, indent, keys[len(keys)-1], path, r.src.Secrets)
	}
	for _, part := range []struct {
		verdict Verdict
		title   string
	}{{Taken, "The codec"}, {NotTaken, "Not taken over"}} {
		title := part.title
		for _, n := range r.Notes {
			if n.Verdict != part.verdict || n.Verdict == Taken && !strings.HasPrefix(n.Fields, "codec") {
				continue
			}
			if title != "" {
				b.WriteString("\n")
				comment(&b, "", title+":")
				title = ""
			}
			comment(&b, "", "- "+n.text(true))
		}
	}
	return []byte(b.String())
}

// openKeys writes the keys that are not open yet.
func openKeys(b *strings.Builder, open, want []string) []string {
	for i, key := range want {
		if i < len(open) && open[i] == key {
			continue
		}
		open = open[:i]
		fmt.Fprintf(b, "%s%s:\n", strings.Repeat("  ", i), key)
		open = append(open, key)
	}
	return open[:len(want)]
}

func (f field) write(b *strings.Builder, indent, key, path string, secrets bool) {
	switch {
	case f.secret && !secrets:
		comment(b, indent, fmt.Sprintf("%s: is not written down; set the variable %s, which overrides this file", key, envOf(path)))
	case f.list:
		fmt.Fprintf(b, "%s%s:\n", indent, key)
		for _, v := range f.values {
			fmt.Fprintf(b, "%s  - %s\n", indent, scalar(path, v))
		}
	default:
		fmt.Fprintf(b, "%s%s: %s\n", indent, key, scalar(path, f.values[0]))
	}
}

// text is a note in a comment.
func (n Note) text(value bool) string {
	out := n.Setting
	if value && n.Value != "" {
		out += " = " + n.Value
	}
	if n.At != "" {
		out += " (" + n.At + ")"
	}
	if n.Why != "" {
		out += ": " + n.Why
	}
	return out
}

func comment(b *strings.Builder, indent, text string) {
	fmt.Fprintf(b, "%s# %s\n", indent, codecs.Printable(text, math.MaxInt))
}

// safe are texts that mean themselves in YAML; all others are quoted.
var safe = regexp.MustCompile(`^[A-Za-z0-9./][A-Za-z0-9_./@-]*(?::[A-Za-z0-9_./@\[\]-]+)*$`)

// texts are fields that may hold what YAML takes for a value of its own, such as null.
var texts = []string{"client_name", "redis.master_name", "redis.username", "redis.password", "redis.sentinel_username", "redis.sentinel_password"}

func scalar(path, text string) string {
	if safe.MatchString(text) && !slices.Contains(texts, path) {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""` // a string always can
	}
	return string(quoted)
}
