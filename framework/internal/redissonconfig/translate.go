package redissonconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
)

// translate says of each setting what becomes of it, and sets our fields.
func (r *reader) translate() {
	r.servesAddresses()
	for _, s := range r.settings {
		switch {
		case s.null && s.note.Verdict == "":
			s.verdict(Meaningless, "nothing is set: it has no value")
		case s.note.Verdict != "": // together with another one
		default:
			r.one(s)
		}
		r.out.Notes = append(r.out.Notes, s.note)
	}
	r.afterwards()
}

// verdict sets what becomes of a setting, and why.
func (s *setting) verdict(v Verdict, why string) {
	s.note.Verdict, s.note.Why = v, join(s.note.Why, why)
}

// blocks is a setting that is not possible, and without which a service works on other keys or
// reaches no Redis.
func (s *setting) blocks(format string, args ...any) {
	s.verdict(Impossible, fmt.Sprintf(format, args...))
	s.note.Blocks = true
}

// set sets a field of ours from a setting.
func (r *reader) set(path string, s *setting, values ...string) {
	s.note.Verdict = Taken
	s.note.Fields = strings.TrimPrefix(s.note.Fields+" "+path, " ")
	r.out.fields[path] = field{values: values, from: append(r.out.fields[path].from, &s.note)}
}

// text returns the text of a setting of the file, "" where there is none.
func (r *reader) text(name string) string {
	if s := r.byName[name]; s != nil && !s.null {
		return s.text
	}
	return ""
}

// one decides about a setting by its name.
func (r *reader) one(s *setting) {
	if err := r.unset(s.text); err != nil && (slices.Contains([]string{"username", "sentinelUsername", "masterName"}, s.name) || r.ofSpring && s.name == "clientName") {
		r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.note.Value, Reason: err.Error()})
		return
	}
	switch s.name {
	case "connectTimeout":
		r.setTime(s, "redis.dial_timeout")
	case "timeout":
		r.setTime(s, "redis.read_timeout", "redis.write_timeout")
	case "connectionPoolSize", "masterConnectionPoolSize":
		r.setPool(s)
	case "connectionMinimumIdleSize", "masterConnectionMinimumIdleSize":
		r.setIdle(s)
	case "clientName":
		if strings.ContainsFunc(s.text, func(c rune) bool { return c < '!' || c > '~' }) || s.text == "" {
			s.verdict(Impossible, "client_name must be printable ASCII without blanks: Redis accepts nothing else")
			return
		}
		r.set("client_name", s, s.text)
	case "username", "password":
		r.login(s)
	case "sentinelUsername", "sentinelPassword":
		r.sentinelLogin(s)
	case "masterName":
		r.set("redis.master_name", s, s.text)
	case "codec":
		r.codec(s)
	case "nameMapper":
		s.object("DefaultNameMapper", "names are not mapped, here neither", "name.prefix and name.suffix do what most mappers do; any other is two functions, given by framework.WithNameMapper")
	case "commandMapper":
		s.object("DefaultCommandMapper", "commands keep their names, here too", "renamed commands are not possible: this program calls them by the names of Redis")
	case "natMapper":
		s.object("DefaultNatMapper", "addresses are not mapped, here neither", "write addresses that this program can reach; those that servers tell of are used as they are")
	case "natMap":
		s.blocks("write addresses that this program can reach; those that servers tell of are used as they are")
	case "credentialsResolver":
		s.object("DefaultCredentialsResolver", "there is none, here neither", "set redis.username and redis.password_file, which is read anew for each connection, or give framework.WithLogin a function that does what yours does")
	default:
		if strings.HasPrefix(s.name, "ssl") {
			r.ssl(s)
			return
		}
		why, ok := meaningless[s.name]
		if !ok {
			s.verdict(Impossible, "nothing here is like it")
			return
		}
		s.verdict(Meaningless, why)
	}
}

// object is for settings whose value is an object of Java: the default one does nothing.
func (s *setting) object(standard, does, instead string) {
	if s.class == "" || strings.HasPrefix(s.class, "org.redisson.") && strings.HasSuffix(s.class, "."+standard) {
		s.verdict(Meaningless, does)
		return
	}
	s.blocks("it is a class of Java; %s", instead)
}

func (r *reader) setTime(s *setting, paths ...string) {
	if s.number <= 0 {
		s.verdict(Impossible, "must be above 0 here: the default stays")
		return
	}
	for _, path := range paths {
		r.set(path, s, (time.Duration(s.number) * time.Millisecond).String())
	}
}

// defaultPoolSize is framework.DefaultPoolSize; a test compares.
const defaultPoolSize = 8

func (r *reader) setPool(s *setting) {
	if s.number < 1 {
		s.verdict(Impossible, "must be at least 1 here: the default stays")
		return
	}
	r.set("redis.pool_size", s, strconv.FormatInt(s.number, 10))
	s.note.Why = join(s.note.Why, "connections that wait for messages come on top (blocking_waits)")
}

// setIdle keeps to the size of the pool, which is a smaller one by default than Redisson's.
func (r *reader) setIdle(s *setting) {
	most := int64(defaultPoolSize)
	for _, name := range []string{"connectionPoolSize", "masterConnectionPoolSize"} {
		if pool := r.byName[name]; pool != nil && pool.number > 0 {
			most = pool.number
		}
	}
	switch {
	case s.number < 1:
		s.verdict(Impossible, "must be at least 1 here: the default stays")
	case s.number > most:
		s.note.Why = join(s.note.Why, fmt.Sprintf("not %d: pool_size is %d", s.number, most))
		r.set("redis.pool_idle", s, strconv.FormatInt(most, 10))
	default:
		r.set("redis.pool_idle", s, strconv.FormatInt(s.number, 10))
	}
}

// join puts two reasons together, either of which may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// login takes user and password over. Redisson logs in where there is a password.
func (r *reader) login(s *setting) {
	switch {
	case s.text == "":
		s.verdict(Meaningless, "it is empty: nobody logs in")
	case s.name == "password":
		r.secret("redis.password", s, s.text)
	case r.text("password") == "":
		s.verdict(Meaningless, "Redisson logs in only where there is a password, too")
	default:
		r.set("redis.username", s, s.text)
	}
}

func (r *reader) sentinelLogin(s *setting) {
	switch {
	case s.text == "":
		s.verdict(Meaningless, "it is empty: nobody logs in")
	case s.name == "sentinelPassword":
		r.secret("redis.sentinel_password", s, s.text)
	case r.text("sentinelPassword") == "":
		s.verdict(Impossible, "needs sentinelPassword: Redis has no login by name alone")
	default:
		r.set("redis.sentinel_username", s, s.text)
	}
}

// secret sets a password. One that is still a variable is known to Java alone.
func (r *reader) secret(path string, s *setting, text string) {
	if r.src.Secrets && r.holdsVariable(text) {
		r.wrong(s.note.Setting, s.node, "the variable is not set here: set it, or the variable %s, and leave this one to it", envOf(path))
		return
	}
	r.set(path, s, text)
	f := r.out.fields[path]
	f.secret = true
	r.out.fields[path] = f
}

// envOf is the variable that package framework reads a field from.
func envOf(path string) string {
	return "DUEQUEUE_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// afterwards notes what is not written and yet has a meaning.
func (r *reader) afterwards() {
	if r.byName["codec"] == nil || r.byName["codec"].null {
		r.defaultCodec()
	}
	if r.section == "sentinelServersConfig" && r.text("password") != "" && r.text("sentinelPassword") == "" {
		r.out.Notes = append(r.out.Notes, Note{Setting: r.section + ".sentinelPassword", Verdict: Impossible, Why: "it is not written: Redisson then logs in to Sentinels that ask for a password with the one of the servers. " +
			"If yours ask, set the variable " + envOf("redis.sentinel_password")})
	}
}
