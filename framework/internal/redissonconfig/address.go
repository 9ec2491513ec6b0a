package redissonconfig

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// address is one of Redisson's: scheme://[[user]:password@]host:port.
type address struct {
	hostPort       string
	tls            bool
	user, password string
	ignored        bool // something follows the port, which Redisson ignores
	decoded        bool // the login is another one where the release decodes it
}

// Redisson decodes a login of percents since one of the releases between these; the last does.
var (
	lastUndecoded = release{3, 30, 0}
	firstDecoded  = release{3, 35, 0}
)

// parseAddress reads an address as the RedisURI of a release does. Its errors quote nothing,
// since a password may stand anywhere.
func parseAddress(text string, by release) (address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	var out address
	switch {
	case !ok:
		return out, errors.New("must begin with redis://, or with rediss:// for TLS")
	case scheme == "redis" || scheme == "valkey":
	case scheme == "rediss" || scheme == "valkeys":
		out.tls = true
	case scheme == "redis+uds" || scheme == "valkey+uds":
		return out, errors.New("must name host and port: sockets of Unix are not possible here")
	default:
		return out, errors.New("must begin with redis://, or with rediss:// for TLS")
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, both := strings.Cut(rest[:at], ":")
		if !both {
			user, password = "", user
		}
		out.user, out.password = user, password
		if !by.before(firstDecoded) {
			var err, err2 error
			out.user, err = url.QueryUnescape(user) // as URLDecoder does
			out.password, err2 = url.QueryUnescape(password)
			if err != nil || err2 != nil {
				return out, fmt.Errorf("user or password are not percent-encoded, as Redisson wants since %s; name the release where it is older", firstDecoded)
			}
		}
		decoded, err := url.QueryUnescape(rest[:at])
		out.decoded = err == nil && decoded != rest[:at]
		rest = rest[at+1:]
	}
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		out.ignored = rest[at:] != "/"
		rest = rest[:at]
	}
	at := strings.LastIndexByte(rest, ':')
	if at < 0 || strings.HasSuffix(rest, "]") {
		return out, errors.New("needs a port, such as redis://10.0.0.1:6379: Redisson has no default")
	}
	out.hostPort = net.JoinHostPort(strings.Trim(rest[:at], "[]"), rest[at+1:])
	return out, config.CheckAddr(out.hostPort)
}

// servesAddresses sets where Redis is.
func (r *reader) servesAddresses() {
	name := map[string]string{
		"singleServerConfig": "address", "masterSlaveServersConfig": "masterAddress", "sentinelServersConfig": "sentinelAddresses",
	}[r.section]
	if name == "" {
		name = "nodeAddresses"
	}
	s := r.byName[name]
	if s == nil || s.null || s.text == "" && len(s.texts) == 0 {
		r.errs = append(r.errs, &fault.ConfigError{Field: r.section + "." + name, Origin: r.src.File, Reason: "is missing: it says where Redis is"})
		return
	}
	if len(s.texts) == 0 || s.kind != "texts" {
		s.texts = []string{s.text}
	}
	var all []address
	for _, text := range s.texts {
		a, err := parseAddress(text, r.release)
		if unset := r.unset(text); unset != nil {
			err = unset
		}
		if err != nil {
			r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.show(text), Reason: err.Error()})
			continue
		}
		if all = append(all, a); a.tls != all[0].tls {
			r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.show(text), Reason: "some addresses have TLS and others have not: here all or none can have it"})
			return
		}
	}
	if len(r.errs) > 0 {
		return
	}
	r.addressLogin(s, all)
	if all[0].ignored {
		s.note.Why = join(s.note.Why, "Redisson ignores what follows the port")
	}
	switch r.section {
	case "sentinelServersConfig", "clusterServersConfig":
		r.nodes(s, all)
	case "singleServerConfig", "masterSlaveServersConfig":
		r.server(s, all[0])
	default:
		if len(all) > 1 {
			s.blocks("Redisson asks each of these servers whether it is the master; here redis.url names the master, such as the primary endpoint of the service, or Sentinels do")
			r.database()
			break
		}
		r.server(s, all[0])
		s.note.Why = join(s.note.Why, "this server must be the master, always: Redisson would ask")
	}
	r.tlsOn(s, all[0].tls)
	for _, part := range r.settings {
		if part.note.Verdict == Taken && part.note.Fields == "" {
			r.partOf(part)
		}
	}
}

// partOf names a setting that is a part of where Redis is.
func (r *reader) partOf(s *setting) {
	paths := []string{"redis.url", "redis.addrs"}
	if strings.Contains(s.name, ".ssl") {
		paths = []string{"redis.tls.enabled", "redis.url", "redis.addrs"}
	}
	for _, path := range paths {
		if f, ok := r.out.fields[path]; ok {
			f.from = append(f.from, &s.note)
			r.out.fields[path], s.note.Fields = f, path
			return
		}
	}
}

// unset says that a variable was not replaced. Redisson would go on with its name.
func (r *reader) unset(text string) error {
	switch {
	case !r.holdsVariable(text):
		return nil
	case !r.ofSpring && r.release.before(release{3, 9, 0}):
		return fmt.Errorf("release %s of Redisson replaces no variables: write the value", r.release)
	}
	return errors.New("a variable is not set here, and has no value of its own: set it, or write the value")
}

// addressLogin takes a login over that stands in an address. That of a Sentinel is for the
// Sentinel alone, not for the servers.
func (r *reader) addressLogin(s *setting, all []address) {
	user, password, why := "username", "password", ""
	if r.section == "sentinelServersConfig" {
		user, password, why = "sentinelUsername", "sentinelPassword", "; Redisson logs in so to this Sentinel, here to all"
	}
	for _, a := range all {
		for _, part := range []struct{ name, value string }{{user, a.user}, {password, a.password}} {
			switch have := r.byName[part.name]; {
			case part.value == "":
			case have == nil || have.null:
				added := &setting{row: row{section: r.section, name: part.name, kind: "text"}, node: s.node, text: part.value, note: Note{Setting: s.note.Setting, At: s.note.At, Why: "the " + part.name + " in the address" + why}}
				added.note.Value = added.show(part.value)
				r.byName[part.name] = added
				r.settings = append(r.settings, added)
			case have.text != part.value:
				r.errs = append(r.errs, &fault.ConfigError{Field: s.note.Setting, Origin: s.note.At, Value: s.note.Value, Reason: "carries another " + part.name + " than " + have.note.Setting + " (" + have.note.At + "): use one of the two"})
			}
		}
		if a.decoded && (r.release == release{} || lastUndecoded.before(r.release) && r.release.before(firstDecoded)) {
			r.undecoded(s)
		}
	}
}

// undecoded notes that the release decides what the login in an address is.
func (r *reader) undecoded(s *setting) {
	what := fmt.Sprintf("the percents and plus signs of its login are decoded, as Redisson does since %s: name the release where it is older", firstDecoded)
	if r.release != (release{}) {
		what = fmt.Sprintf("the percents and plus signs of its login are not decoded, as by Redisson %s; a later release before %s began to: ask yours", lastUndecoded, firstDecoded)
	}
	if !strings.Contains(s.note.Why, what) {
		s.note.Why = join(s.note.Why, what)
	}
}

// server is one server, with its database.
func (r *reader) server(s *setting, a address) {
	db := r.byName["database"]
	scheme := "redis://"
	if a.tls {
		scheme = "rediss://"
	}
	at := scheme + a.hostPort
	if db != nil && !db.null && db.number > 0 {
		at += "/" + strconv.FormatInt(db.number, 10)
	}
	r.set("redis.url", s, at)
	r.database()
	if db != nil && db.note.Verdict == Taken {
		r.set("redis.url", db, at)
	}
}

// database decides about the number of the database.
func (r *reader) database() {
	db := r.byName["database"]
	switch {
	case db == nil || db.null:
	case db.number < 0:
		r.errs = append(r.errs, &fault.ConfigError{Field: db.note.Setting, Origin: db.note.At, Value: db.note.Value, Reason: "must not be negative"})
	case db.number > 0 && r.section == "clusterServersConfig":
		db.blocks("a cluster has only database 0 here")
	case r.section == "clusterServersConfig":
		db.verdict(Meaningless, "a cluster has only database 0")
	case r.section == "sentinelServersConfig":
		r.set("redis.db", db, strconv.FormatInt(db.number, 10))
	default:
		db.note.Verdict = Taken
	}
}

// nodes are the Sentinels, or some nodes of a cluster.
func (r *reader) nodes(s *setting, all []address) {
	values := make([]string, len(all))
	for i, a := range all {
		values[i] = a.hostPort
	}
	r.set("redis.addrs", s, values...)
	f := r.out.fields["redis.addrs"]
	f.list = true
	r.out.fields["redis.addrs"] = f
	if r.section == "clusterServersConfig" {
		r.set("redis.mode", s, "cluster")
	} else if r.text("masterName") == "" {
		r.errs = append(r.errs, &fault.ConfigError{Field: r.section + ".masterName", Origin: r.src.File, Reason: "is missing: it names the master that the Sentinels watch"})
	}
	r.database()
}
