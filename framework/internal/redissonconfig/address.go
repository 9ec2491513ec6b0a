package redissonconfig

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/config"
)

// address is one of Redisson's: scheme://[[user]:password@]host:port.
type address struct {
	hostPort       string
	tls            bool
	user, password string
	ignored        bool // something follows the port, which Redisson ignores
}

// firstDecoded is the first tested release that decodes a login of percents: 3.30 does not.
var firstDecoded = release{3, 35, 0}

// parseAddress reads an address as the RedisURI of a release does. Its errors quote nothing,
// since a password may stand anywhere.
func parseAddress(text string, by release) (address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	var out address
	switch {
	case ok && (scheme == "redis" || scheme == "valkey"):
	case ok && (scheme == "rediss" || scheme == "valkeys"):
		out.tls = true
	case ok && strings.HasSuffix(scheme, "+uds"):
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
				return out, errors.New("user or password are not percent-encoded, as Redisson wants since " + firstDecoded.String() + "; name the release where it is older")
			}
		}
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
		"clusterServersConfig": "nodeAddresses", "replicatedServersConfig": "nodeAddresses",
	}[r.section]
	s := r.byName[name]
	if s == nil || s.null || s.text == "" && len(s.texts) == 0 {
		r.missing(name, "it says where Redis is")
		return
	}
	if s.kind != "texts" {
		s.texts = []string{s.text}
	}
	all := r.addresses(s)
	if len(r.errs) > 0 {
		return
	}
	if all[0].ignored {
		s.note.Why = join(s.note.Why, "Redisson ignores what follows the port")
	}
	switch {
	case r.section == "sentinelServersConfig", r.section == "clusterServersConfig":
		r.nodes(s, all)
	case len(all) > 1:
		s.blocks("Redisson asks each of these servers whether it is the master; here redis.url names the master, such as the primary endpoint of the service, or Sentinels do")
		r.database()
	default:
		r.server(s, all[0])
		if r.section == "replicatedServersConfig" {
			s.note.Why = join(s.note.Why, "this server must be the master, always: Redisson would ask")
		}
	}
	r.tlsOn(s, all[0].tls)
	for _, part := range r.settings {
		if part.note.Verdict == Taken && part.note.Fields == "" {
			r.partOf(part, all[0].tls)
		}
	}
}

// addresses reads the addresses of a setting, and takes the logins in them over.
func (r *reader) addresses(s *setting) []address {
	var all []address
	for _, text := range s.texts {
		a, err := parseAddress(text, r.release)
		switch one := (&setting{row: s.row, note: s.note}); {
		case r.holdsVariable(text):
			one.note.Value = s.show(text)
			r.mistake(one, unset)
			continue
		case err != nil:
			one.note.Value = s.show(text)
			r.mistake(one, err.Error())
			continue
		}
		if all = append(all, a); a.tls != all[0].tls {
			r.mistake(s, "some addresses have TLS and others have not: here all or none can have it")
			return nil
		}
	}
	for _, a := range all {
		r.addressLogin(s, a)
	}
	return all
}

// addressLogin takes a login over that stands in an address. That of a Sentinel is for the
// Sentinel alone, not for the servers.
func (r *reader) addressLogin(s *setting, a address) {
	user, password, why := "username", "password", ""
	if r.section == "sentinelServersConfig" {
		user, password, why = "sentinelUsername", "sentinelPassword", "; Redisson logs in so to this Sentinel, here to all"
	}
	for name, value := range map[string]string{user: a.user, password: a.password} {
		switch have := r.byName[name]; {
		case value == "":
		case have == nil || have.null:
			added := &setting{row: kept[name], node: s.node, text: value, note: Note{Setting: s.note.Setting, At: s.note.At, Why: "the " + name + " in the address" + why}}
			added.note.Value = added.show(value)
			r.byName[name] = added
			r.settings = append(r.settings, added)
		case have.text != value:
			r.mistake(s, "carries another "+name+" than "+have.note.Setting+" ("+have.note.At+"): use one of the two")
		}
	}
}

// partOf names a setting of Spring's that is a part of where Redis is.
func (r *reader) partOf(s *setting, tls bool) {
	paths := []string{"redis.url", "redis.addrs"}
	if tls && strings.HasPrefix(s.name, "ssl") {
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

// server is one server, with its database.
func (r *reader) server(s *setting, a address) {
	db := r.byName["database"]
	at := map[bool]string{false: "redis://", true: "rediss://"}[a.tls] + a.hostPort
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
		r.mistake(db, "must not be negative")
	case r.section == "clusterServersConfig" && db.number > 0:
		db.blocks("a cluster has only database 0 here")
	case r.section == "clusterServersConfig":
		db.notTaken("a cluster has only database 0")
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
		r.missing("masterName", "it names the master that the Sentinels watch")
	}
	r.database()
}

// tlsOn turns TLS on where the addresses say so.
func (r *reader) tlsOn(s *setting, on bool) {
	if _, nodes := r.out.fields["redis.addrs"]; on && nodes {
		r.set("redis.tls.enabled", s, "true")
	}
	for _, s := range r.settings {
		if !on && strings.HasPrefix(s.name, "ssl") && !s.null && s.note.Verdict == "" {
			s.notTaken("no address says rediss://, so there is no TLS")
		}
	}
}

// verification is what Redisson checks of a certificate: with NONE nothing where there is no
// truststore, else the authority alone, as with CA_ONLY where there is one.
func (r *reader) verification(s *setting, mode string) {
	store := r.byName["sslTruststore"]
	switch {
	case mode == "STRICT":
		s.notTaken("certificates are always checked so")
	case mode == "NONE" && (store == nil || store.null):
		r.set("redis.tls.insecure_skip_verify", s, "true")
		s.note.Why = join(s.note.Why, "as in Java, any certificate is accepted: better set redis.tls.ca_file")
	default:
		s.blocks("a certificate's authority cannot be checked without its name: set redis.tls.server_name to a name that the certificate carries")
	}
}
