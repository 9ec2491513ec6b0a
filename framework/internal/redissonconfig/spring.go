package redissonconfig

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// spring reads what an application.yaml of Spring Boot says about Redis, as the starter of
// Redisson does: spring.redis.redisson.config, or else the file that .file names, or else the
// servers in spring.data.redis (Boot 3) or spring.redis (Boot 2).
type spring struct {
	*reader
	prefix string // of the settings that count
	found  map[string]springSetting
}

// springSetting is a setting below spring.redis or spring.data.redis.
type springSetting struct {
	name string // as written, from the root on
	key  ast.Node
	node ast.Node
}

const (
	bootTwo   = "spring.redis."
	bootThree = "spring.data.redis."
)

// canonical is a name without what Spring is lax about.
func canonical(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// springOf returns the settings below spring.redis and spring.data.redis of a document, by
// their canonical names.
func springOf(doc ast.Node) map[string]springSetting {
	out := map[string]springSetting{}
	var walk func(node ast.Node, path string, key ast.Node, depth int)
	walk = func(node ast.Node, path string, key ast.Node, depth int) {
		name := canonical(path)
		below := strings.HasPrefix(name, bootTwo) || strings.HasPrefix(name, bootThree)
		if isMapping(node) && depth < maxNest && !strings.HasSuffix(name, ".redisson.config") {
			if path != "" {
				path += "."
			}
			for _, e := range config.Entries(node) {
				if next := canonical(path+keyOf(e)) + "."; strings.HasPrefix(next, bootTwo) || strings.HasPrefix(next, bootThree) ||
					strings.HasPrefix(bootTwo, next) || strings.HasPrefix(bootThree, next) {
					walk(e.Value, path+keyOf(e), e.Key, depth+1)
				}
			}
			return
		}
		if below {
			out[name] = springSetting{path, key, node}
		}
	}
	walk(doc, "", doc, 0)
	return out
}

// profileOf returns the profile in which alone a document counts.
func profileOf(doc ast.Node) string {
	for _, path := range []string{"spring.config.activate.onprofile", "spring.profiles", "spring.config.activate"} {
		if node := below(doc, path, 0); node != nil {
			if text, ok := config.Scalar(node); ok {
				return text
			}
			return "unknown"
		}
	}
	return ""
}

func below(node ast.Node, path string, depth int) ast.Node {
	for _, e := range config.Entries(node) {
		switch key := canonical(keyOf(e)); {
		case key == path:
			return e.Value
		case strings.HasPrefix(path, key+".") && depth < maxNest:
			if found := below(e.Value, path[len(key)+1:], depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// springFile reads a file of Spring's, and reports whether it is one.
func (r *reader) springFile() bool {
	r.variable = func(int) string { return "" }
	docs, err := r.parse(r.src.Text)
	if err != nil {
		return false // whoever reads it as a file of Redisson's says why
	}
	var chosen map[string]springSetting
	var first, other ast.Node
	profiles := map[string]ast.Node{}
	for _, doc := range docs {
		found := springOf(doc)
		if len(found) == 0 {
			continue
		}
		if profile := profileOf(doc); profile != "" {
			profiles[profile] = doc
		} else if chosen == nil {
			chosen, first = found, doc
		} else if other == nil {
			other = doc
		}
	}
	switch {
	case other != nil:
		r.wrong("spring.redis", other, "settings of Redis stand in several documents, the first at %s: put them into one", config.At(r.src.File, first.GetToken()))
	case chosen != nil:
		(&spring{reader: r, found: chosen}).read()
	case len(profiles) == 0:
		return false
	}
	for profile, doc := range profiles {
		if chosen == nil {
			r.wrong("spring.redis", doc, "only the profile %q says where Redis is: copy its part into a file of its own", codecs.Printable(profile, maxShown))
		} else {
			r.out.Notes = append(r.out.Notes, Note{Setting: "spring.redis", At: config.At(r.src.File, doc.GetToken()), Verdict: Impossible, Why: "the profile " + codecs.Printable(profile, maxShown) + " is not read: copy its part into a file of its own"})
		}
	}
	return true
}

// read takes the way that the starter takes.
func (s *spring) read() {
	inline, hasInline := s.found["spring.redis.redisson.config"]
	file, hasFile := s.found["spring.redis.redisson.file"]
	var used string
	switch {
	case hasInline:
		used = inline.name
		text, ok := config.Scalar(inline.node)
		if !ok {
			s.wrong(inline.name, inline.node, "must be a text, behind |: the starter reads it as a file of Redisson")
			return
		}
		s.redisson(strings.Repeat("\n", inline.node.GetToken().Position.Line), s.resolveSpring(text))
	case hasFile:
		used = file.name
		s.namedFile(file)
	default:
		s.servers()
		return
	}
	for _, found := range s.inOrder() {
		if found.name != used {
			s.note(found, Meaningless, used+" is there, and the starter then reads nothing else")
		}
	}
}

// inOrder returns the settings in the order of the file.
func (s *spring) inOrder() []springSetting {
	return slices.SortedFunc(maps.Values(s.found), func(a, b springSetting) int {
		return cmp.Or(cmp.Compare(a.key.GetToken().Position.Line, b.key.GetToken().Position.Line), strings.Compare(a.name, b.name))
	})
}

// redisson reads a text of Redisson's; the empty lines before it keep its places right.
func (s *spring) redisson(lines, text string) {
	doc, err := s.document([]byte(lines + text))
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.root(doc)
}

func (s *spring) namedFile(file springSetting) {
	text, ok := config.Scalar(file.node)
	if !ok {
		s.wrong(file.name, file.node, "must be the name of a file")
		return
	}
	path := strings.TrimPrefix(strings.TrimPrefix(s.resolveSpring(text), "classpath:"), "file:")
	if !filepath.IsAbs(path) || strings.HasPrefix(text, "classpath:") {
		path = filepath.Join(s.src.Folder, path)
	}
	if s.src.Folder == "" {
		s.wrong(file.name, file.node, "names another file: read that one")
		return
	}
	src, err := Open(path)
	if err != nil {
		s.wrong(file.name, file.node, "names %s, which cannot be read: %v", codecs.Printable(path, maxShown), err)
		return
	}
	s.src.File = src.File
	s.redisson("", string(src.Text))
}

// placeholder is Spring's ${name} or ${name:default}.
var placeholder = regexp.MustCompile(`\$\{([^{}:]+)(?::([^{}]*))?\}`)

// resolveSpring replaces placeholders as Spring does: ${redis.host:localhost} is the variable
// REDIS_HOST, or localhost. A default begins behind the colon: with a - there, it has it.
func (s *spring) resolveSpring(text string) string {
	out := placeholder.ReplaceAllStringFunc(text, func(whole string) string {
		m := placeholder.FindStringSubmatch(whole)
		for _, name := range []string{m[1], strings.ToUpper(strings.NewReplacer(".", "_", "-", "").Replace(m[1]))} {
			if value, ok := s.env(name); ok {
				return value
			}
		}
		if strings.Contains(whole, ":") {
			return m[2]
		}
		return whole
	})
	return out[:min(len(out), maxText+1)] // what is too long is told by whoever reads it
}

// note adds a setting about which all is said.
func (s *spring) note(found springSetting, v Verdict, why string) *Note {
	out := &setting{row: row{name: canonical(found.name)}, node: found.node}
	out.note = Note{Setting: found.name, At: config.At(s.src.File, found.key.GetToken())}
	if text, ok := config.Scalar(found.node); ok && !strings.HasSuffix(canonical(found.name), "password") && !strings.HasSuffix(canonical(found.name), "url") && v == Impossible {
		out.note.Value = codecs.Printable(config.HideURL(text), maxShown)
	}
	out.verdict(v, why)
	s.settings = append(s.settings, out)
	return &out.note
}

// servers reads the servers that Spring Boot itself knows of.
func (s *spring) servers() {
	two, three := s.under(bootTwo), s.under(bootThree)
	if s.prefix = bootThree; three == nil {
		s.prefix = bootTwo
	}
	if two != nil && three != nil {
		s.wrong("spring.redis", two.key, "spring.data.redis is there, too: Spring Boot 3 reads that one alone, and Spring Boot 2 only spring.redis; remove the other")
		return
	}
	if two == nil && three == nil {
		for _, found := range s.inOrder() {
			s.wrong(found.name, found.key, "unknown to the starter, which knows spring.redis.redisson.config and .file")
		}
		return
	}
	s.section = "singleServerConfig"
	if _, ok := s.found[s.prefix+"sentinel.nodes"]; ok {
		s.section = "sentinelServersConfig"
	} else if _, ok := s.found[s.prefix+"cluster.nodes"]; ok {
		s.section = "clusterServersConfig"
	}
	scheme := "redis://"
	for _, name := range []string{"ssl", "ssl.enabled"} {
		if found, ok := s.found[s.prefix+name]; ok {
			if on, _ := s.plain(found); strings.EqualFold(on, "true") {
				scheme = "rediss://"
			}
		}
	}
	s.addresses(scheme)
	for _, found := range s.inOrder() {
		s.decide(strings.TrimPrefix(canonical(found.name), s.prefix), found)
	}
}

func (s *spring) under(prefix string) *springSetting {
	for _, found := range s.inOrder() {
		if name := canonical(found.name); strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, prefix+"redisson.") {
			return &found
		}
	}
	return nil
}

// plain is a scalar with its placeholders replaced.
func (s *spring) plain(found springSetting) (string, bool) {
	text, ok := config.Scalar(found.node)
	return s.resolveSpring(text), ok
}

// addresses makes Redisson's addresses of Spring's.
func (s *spring) addresses(scheme string) {
	switch s.section {
	case "singleServerConfig":
		host, port := "localhost", "6379"
		from, given := s.found[s.prefix+"host"]
		if given {
			host, _ = s.plain(from)
		}
		if found, ok := s.found[s.prefix+"port"]; ok {
			port, _ = s.plain(found)
			if !given {
				from = found
			}
		}
		if from.node == nil {
			from = *s.under(s.prefix)
			from.name = s.prefix + "host"
			s.add("address", from, scheme+host+":"+port).note.Why = "Spring's default: no host is written"
			return
		}
		s.add("address", from, scheme+host+":"+port)
	default:
		name := map[string]string{"sentinelServersConfig": "sentinelAddresses", "clusterServersConfig": "nodeAddresses"}[s.section]
		found := s.found[s.prefix+strings.TrimSuffix(s.section, "ServersConfig")+".nodes"]
		var texts []string
		if list, ok := found.node.(*ast.SequenceNode); ok {
			for _, item := range list.Values {
				text, _ := config.Scalar(item)
				texts = append(texts, s.resolveSpring(text))
			}
		} else {
			text, _ := s.plain(found)
			texts = strings.Split(text, ",")
		}
		for i, text := range texts {
			if text = strings.TrimSpace(text); !strings.Contains(text, "://") {
				text = scheme + text
			}
			texts[i] = text
		}
		s.add(name, found, texts...)
	}
}

// add adds a setting of Redisson's that one of Spring's stands for.
func (s *spring) add(name string, from springSetting, texts ...string) *setting {
	out := &setting{row: table()[s.section+"."+name], node: from.node, texts: texts}
	if out.kind != "texts" {
		out.text, out.texts = texts[0], nil
	}
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = out.show(text)
	}
	out.note = Note{Setting: from.name, At: config.At(s.src.File, from.key.GetToken()), Value: codecs.Printable(strings.Join(shown, ", "), maxShown)}
	s.settings = append(s.settings, out)
	s.byName[name] = out
	return out
}

// springNames are settings of Spring's that Redisson has under another name.
var springNames = map[string]string{
	"username": "username", "password": "password", "clientname": "clientName", "sentinel.master": "masterName",
	"sentinel.username": "sentinelUsername", "sentinel.password": "sentinelPassword", "timeout": "timeout", "connecttimeout": "connectTimeout", "database": "database",
}

// decide says what becomes of a setting of Spring's.
func (s *spring) decide(name string, found springSetting) {
	text, plain := s.plain(found)
	ours, known := springNames[name]
	if strings.HasPrefix(name, "sentinel.") && s.section != "sentinelServersConfig" || name == "database" && s.section == "clusterServersConfig" {
		s.note(found, Meaningless, "it belongs to another kind of servers")
		return
	}
	switch {
	case isNull(found.node):
		s.note(found, Meaningless, "nothing is set: it has no value")
	case known && !plain:
		s.wrong(found.name, found.node, "must be a plain value")
	case ours == "timeout" || ours == "connectTimeout":
		d, ok := springTime(text)
		if !ok {
			s.wrong(found.name, found.node, "must be a length of time, such as 3s or 3000")
			return
		}
		s.add(ours, found, text).number = d.Milliseconds()
	case ours == "database":
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			s.wrong(found.name, found.node, "must be a whole number")
			return
		}
		s.add(ours, found, text).number = n
	case known:
		s.add(ours, found, text)
	case name == "url":
		s.note(found, Impossible, "what the starter takes of it depends on its release: write host, port, username, password and database").Blocks = true
	case name == "ssl.bundle":
		s.note(found, Impossible, "a bundle is not read here: set redis.tls.ca_file, cert_file and key_file to files in PEM").Blocks = true
	case name == "host" && s.section == "singleServerConfig", name == "sentinel.nodes", name == "cluster.nodes" && s.section == "clusterServersConfig":
	case strings.HasPrefix(name, "ssl") && plain, name == "port" && s.section == "singleServerConfig":
		s.note(found, Taken, "it is a part of the address")
	case name == "host", name == "port", name == "cluster.nodes":
		s.note(found, Meaningless, "Sentinels or a cluster are named, which the starter prefers")
	case strings.HasPrefix(name, "lettuce."), strings.HasPrefix(name, "jedis."), strings.HasPrefix(name, "repositories."), name == "clienttype", name == "cluster.maxredirects":
		s.note(found, Meaningless, "Redisson does not use it")
	default:
		s.note(found, Impossible, "unknown: neither Spring's settings of Redis nor the starter have it")
	}
}

var springUnits = regexp.MustCompile(`^\d+(ns|us|ms|s|m|h|d)$`)

// springTime reads a length of time as Spring writes it: 3000, 3s, 1d or PT3S.
func springTime(text string) (time.Duration, bool) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(n) * time.Millisecond, true
	}
	if iso, ok := strings.CutPrefix(strings.ToUpper(text), "PT"); ok {
		d, err := time.ParseDuration(strings.ToLower(iso))
		return d, err == nil
	}
	if !springUnits.MatchString(text) {
		return 0, false
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err == nil
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
