package redissonconfig

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// translate says of each setting what becomes of it, and sets our fields.
func (r *reader) translate() {
	r.servesAddresses()
	for _, s := range r.settings {
		switch {
		case s.note.Verdict != "": // together with another one, or not kept
		case s.null:
			s.notTaken("it has no value")
		default:
			r.one(s)
		}
		r.out.Notes = append(r.out.Notes, s.note)
	}
	if codec := r.byName["codec"]; codec == nil || codec.null {
		r.defaultCodec()
	}
	if r.section == "sentinelServersConfig" && r.text("password") != "" && r.text("sentinelPassword") == "" {
		r.out.Notes = append(r.out.Notes, Note{Setting: r.section + ".sentinelPassword", Verdict: NotTaken, Why: "it is not written: Redisson then logs in to Sentinels that ask for a password with the one of the servers. " +
			"If yours ask, set the variable " + envOf("redis.sentinel_password")})
	}
}

// notTaken is for a setting that is not taken over, and why.
func (s *setting) notTaken(why string) {
	s.note.Verdict, s.note.Why = NotTaken, join(s.note.Why, why)
}

// blocks is for a setting that is not taken over, and without which a service works on other
// keys or reaches no Redis.
func (s *setting) blocks(format string, args ...any) {
	s.notTaken(fmt.Sprintf(format, args...))
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
	if !isSecret(s.name) && (s.name != "clientName" || r.ofSpring) && r.holdsVariable(s.text) && s.kind == "text" {
		r.mistake(s, unset)
		return
	}
	switch s.name {
	case "connectTimeout":
		r.setNumber(s, (time.Duration(s.number) * time.Millisecond).String(), "redis.dial_timeout")
	case "timeout":
		r.setNumber(s, (time.Duration(s.number) * time.Millisecond).String(), "redis.read_timeout", "redis.write_timeout")
	case "connectionPoolSize", "masterConnectionPoolSize":
		r.setNumber(s, strconv.FormatInt(s.number, 10), "redis.pool_size")
		s.note.Why = join(s.note.Why, "connections that wait for messages come on top (blocking_waits)")
	case "connectionMinimumIdleSize", "masterConnectionMinimumIdleSize":
		r.setIdle(s)
	case "clientName":
		if strings.ContainsFunc(s.text, func(c rune) bool { return c < '!' || c > '~' }) || s.text == "" {
			s.notTaken("client_name must be printable ASCII without blanks: Redis accepts nothing else")
			return
		}
		r.set("client_name", s, s.text)
	case "username", "password":
		r.login(s, "redis.", r.text("password"))
	case "sentinelUsername", "sentinelPassword":
		r.login(s, "redis.sentinel_", r.text("sentinelPassword"))
	case "masterName":
		r.set("redis.master_name", s, s.text)
	case "codec":
		r.codec(s)
	case "sslEnableEndpointIdentification":
		r.verification(s, map[string]string{"true": "STRICT", "false": "NONE"}[s.text])
	case "sslVerificationMode":
		r.verification(s, s.text)
	case "address", "masterAddress", "nodeAddresses", "sentinelAddresses":
		s.notTaken(r.section + " has another setting for where Redis is")
	default:
		r.object(s)
	}
}

// instead is what to do in place of a setting that only Java can have.
var instead = map[string]string{
	"nameMapper":             "it is a class of Java; name.prefix and name.suffix do what most mappers do; any other is two functions, given by framework.WithNameMapper",
	"commandMapper":          "it is a class of Java; renamed commands are not possible: this program calls them by the names of Redis",
	"natMapper":              "it is a class of Java; write addresses that this program can reach; those that servers tell of are used as they are",
	"natMap":                 "write addresses that this program can reach; those that servers tell of are used as they are",
	"credentialsResolver":    "it is a class of Java; set redis.username and redis.password_file, which is read anew for each connection, or give framework.WithLogin a function that does what yours does",
	"sslTruststore":          "stores of Java are not read here. Write its certificates as PEM by: keytool -list -rfc -keystore STORE > ca.pem; then set redis.tls.ca_file: ca.pem",
	"sslKeystore":            "stores of Java are not read here. Write certificate and key as PEM by: keytool -importkeystore -srckeystore STORE -destkeystore client.p12 -deststoretype PKCS12 && openssl pkcs12 -in client.p12 -clcerts -nokeys -out client.pem && openssl pkcs12 -in client.p12 -nocerts -nodes -out client.key; then set redis.tls.cert_file: client.pem and redis.tls.key_file: client.key",
	"sslTrustManagerFactory": "it is an object of Java: set redis.tls.ca_file to a file in PEM",
	"sslKeyManagerFactory":   "it is an object of Java: set redis.tls.cert_file and key_file to files in PEM",
}

// object is for settings that are objects or files of Java. Redisson's default ones, such as
// DefaultNameMapper, do nothing.
func (r *reader) object(s *setting) {
	standard := "Default" + strings.ToUpper(s.name[:1]) + s.name[1:]
	if s.kind != "URL" && s.kind != "Map" && (s.class == "" || strings.HasPrefix(s.class, "org.redisson.") && strings.HasSuffix(s.class, "."+standard)) {
		s.notTaken("the default does nothing")
		return
	}
	s.blocks("%s", instead[s.name])
}

func (r *reader) setNumber(s *setting, value string, paths ...string) {
	if s.number < 1 {
		s.notTaken("must be at least 1 here: the default stays")
		return
	}
	for _, path := range paths {
		r.set(path, s, value)
	}
}

// defaultPoolSize is framework.DefaultPoolSize; a test compares.
const defaultPoolSize = 8

// setIdle keeps to the size of the pool, which is a smaller one by default than Redisson's.
func (r *reader) setIdle(s *setting) {
	most := int64(defaultPoolSize)
	for _, name := range []string{"connectionPoolSize", "masterConnectionPoolSize"} {
		if pool := r.byName[name]; pool != nil && pool.number > 0 {
			most = pool.number
		}
	}
	if s.number > most {
		s.note.Why = join(s.note.Why, fmt.Sprintf("not %d: pool_size is %d", s.number, most))
	}
	r.setNumber(s, strconv.FormatInt(min(s.number, most), 10), "redis.pool_idle")
}

// join puts two reasons together, either of which may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// login takes user and password over. Redisson logs in where there is a password. One that is
// still a variable is known to Java alone.
func (r *reader) login(s *setting, prefix, password string) {
	switch {
	case s.text == "":
		s.notTaken("it is empty: nobody logs in")
	case isSecret(s.name) && r.src.Secrets && r.holdsVariable(s.text):
		r.wrong(s.note.Setting, s.node, "the variable is not set here: set it, or the variable %s, and leave this one to it", envOf(prefix+"password"))
	case isSecret(s.name):
		r.set(prefix+"password", s, s.text)
		f := r.out.fields[prefix+"password"]
		f.secret = true
		r.out.fields[prefix+"password"] = f
	case password == "":
		s.notTaken("Redisson logs in only where there is a password, too")
	default:
		r.set(prefix+"username", s, s.text)
	}
}

// envOf is the variable that package framework reads a field from.
func envOf(path string) string {
	return "DUEQUEUE_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}
