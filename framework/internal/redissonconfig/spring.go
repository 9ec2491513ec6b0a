package redissonconfig

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// spring reads what an application.yaml of Spring Boot says about Redis, as the starter of
// Redisson does: spring.redis.redisson.config, or else the file that .file names, or else the
// servers in spring.data.redis (Boot 3) or spring.redis (Boot 2).
type spring struct {
	*reader
	file       string // of Spring's; the reader's may be the one that it names
	prefix     string // of the settings that count
	found      map[string]springSetting
	properties map[string]springSetting // of all documents that belong to no profile
	steps      int                      // placeholders that were replaced
}

// springSetting is a setting of a file of Spring's, from the root on.
type springSetting struct {
	path  string // its canonical name
	name  string // as written, as far as it can be shown
	key   ast.Node
	node  ast.Node
	wrong string // what is wrong with its key
}

const (
	bootTwo   = "spring.redis."
	bootThree = "spring.data.redis."
)

// canonical is a name without what Spring is lax about.
func canonical(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// settingsOf returns the settings of a document by their canonical names.
func settingsOf(doc ast.Node) map[string]springSetting {
	out := map[string]springSetting{}
	var walk func(node ast.Node, section string, depth int)
	walk = func(node ast.Node, section string, depth int) {
		flow, _ := node.(*ast.MappingNode)
		for _, e := range config.Entries(node) {
			found := springSetting{name: strings.TrimPrefix(section+"."+keyOf(e), "."), key: e.Key, node: e.Value}
			found.path = canonical(found.name)
			before, _, colon := strings.Cut(found.name, ":")
			switch {
			case colon && strings.HasSuffix(canonical(before), "password"):
				found.name, found.wrong = before, gluedKey
			case colon, flow != nil && flow.IsFlowStyle && withoutColon(e):
				found.name, found.wrong = section, unknownKey
			}
			if found.wrong == "" && isMapping(e.Value) && depth < config.MaxNest && len(keyOf(e)) <= maxShown && !isValue(found.path) {
				walk(e.Value, found.name, depth+1)
				continue
			}
			out[found.path] = found
		}
	}
	walk(doc, "", 0)
	return out
}

// isValue reports whether a mapping of that name is a value that is not quoted.
func isValue(name string) bool {
	return ofRedis(name) && (strings.HasSuffix(name, ".redisson.config") || strings.HasSuffix(name, "password"))
}

func ofRedis(name string) bool {
	return strings.HasPrefix(name, bootTwo) || strings.HasPrefix(name, bootThree)
}

// profileOf returns the profile in which alone a document counts.
func profileOf(doc map[string]springSetting) string {
	for _, name := range []string{"spring.config.activate.onprofile", "spring.profiles"} {
		found := doc[name]
		if list, ok := found.node.(*ast.SequenceNode); ok && len(list.Values) > 0 {
			found.node = list.Values[0]
		}
		if text, ok := config.Scalar(found.node); ok {
			return text
		} else if !isNull(found.node) {
			return "unknown"
		}
	}
	for name := range doc {
		if strings.HasPrefix(name, "spring.config.activate") {
			return "unknown"
		}
	}
	return ""
}

// springFile reads a file of Spring's, and reports whether it is one.
func (r *reader) springFile() bool {
	r.variable = func(int) string { return "" }
	docs, err := config.Documents(r.src.File, r.src.Text)
	if err != nil {
		return false // whoever reads it as a file of Redisson's says why
	}
	boot := spring{reader: r, file: r.src.File, properties: map[string]springSetting{}}
	var first, other ast.Node
	var profiles []Note
	for _, doc := range docs {
		all := settingsOf(doc)
		found := maps.Clone(all)
		maps.DeleteFunc(found, func(name string, _ springSetting) bool { return !ofRedis(name) })
		profile := profileOf(all)
		if profile == "" {
			maps.Copy(boot.properties, all)
		}
		switch {
		case len(found) == 0:
		case profile != "":
			profiles = append(profiles, Note{Setting: "spring.redis", At: config.At(boot.file, doc.GetToken()), Value: codecs.Printable(profile, maxShown)})
		case boot.found == nil:
			boot.found, first = found, doc
		case other == nil:
			other = doc
		}
	}
	switch {
	case other != nil:
		r.wrong("spring.redis", other, "settings of Redis stand in several documents, the first at %s: put them into one", config.At(boot.file, first.GetToken()))
	case boot.found != nil:
		boot.read()
	case len(profiles) == 0:
		return false
	}
	for _, n := range profiles {
		if boot.found == nil {
			r.errs = append(r.errs, &fault.ConfigError{Field: n.Setting, Origin: n.At, Reason: fmt.Sprintf("only the profile %q says where Redis is: copy its part into a file of its own", n.Value)})
		} else {
			r.out.Notes = append(r.out.Notes, Note{Setting: n.Setting, At: n.At, Verdict: NotTaken, Why: "the profile " + n.Value + " is not read: copy its part into a file of its own"})
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
		used = inline.path
		text, ok := config.Scalar(inline.node)
		if !ok {
			s.wrong(inline.name, inline.node, "must be a text, behind |: the starter reads it as a file of Redisson")
			return
		}
		replaced := s.replace(text)
		s.spills, s.ofSpring = replaced != text, true
		if s.defaultsIn(inline.node) != "" {
			s.note(inline, Taken, "")
		}
		s.redisson([]byte(strings.Repeat("\n", inline.node.GetToken().Position.Line) + replaced)) // the empty lines keep places right
	case hasFile:
		used = file.path
		s.namedFile(file)
	default:
		s.servers()
		return
	}
	for _, found := range s.inOrder() {
		if found.path != used {
			s.note(found, NotTaken, used+" is there, and the starter then reads nothing else")
		}
	}
}

// inOrder returns the settings in the order of the file.
func (s *spring) inOrder() []springSetting {
	return slices.SortedFunc(maps.Values(s.found), func(a, b springSetting) int {
		return cmp.Or(cmp.Compare(a.key.GetToken().Position.Line, b.key.GetToken().Position.Line), strings.Compare(a.name, b.name))
	})
}

func (s *spring) namedFile(file springSetting) {
	text, ok := config.Scalar(file.node)
	if !ok {
		s.wrong(file.name, file.node, "must be the name of a file")
		return
	}
	path := strings.TrimPrefix(strings.TrimPrefix(s.replace(text), "classpath:"), "file:")
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
	s.redisson(src.Text)
}

// note adds a setting about which all is said. Its value is not shown: its name may be a
// misspelt one of a password.
func (s *spring) note(found springSetting, v Verdict, why string) *Note {
	out := &setting{row: row{name: strings.TrimPrefix(found.path, s.prefix)}, node: found.node}
	out.note = Note{Setting: found.name, At: config.At(s.file, found.key.GetToken()), Verdict: v, Why: why}
	if v == Taken {
		out.note.Why = join(s.defaultsIn(found.node), why)
	}
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
	s.ofSpring = true
	s.section = "singleServerConfig"
	if _, ok := s.found[s.prefix+"sentinel.nodes"]; ok {
		s.section = "sentinelServersConfig"
	} else if _, ok := s.found[s.prefix+"cluster.nodes"]; ok {
		s.section = "clusterServersConfig"
	}
	scheme := "redis://"
	for _, name := range []string{"ssl", "ssl.enabled"} {
		if found, ok := s.found[s.prefix+name]; ok {
			if on, _ := s.plain(found); springBool[strings.ToLower(on)] {
				scheme = "rediss://"
			}
		}
	}
	s.addresses(scheme)
	for _, found := range s.inOrder() {
		s.decide(strings.TrimPrefix(found.path, s.prefix), found)
	}
}

// springBool are the texts that Spring takes for true and false.
var springBool = map[string]bool{"true": true, "on": true, "yes": true, "1": true, "false": false, "off": false, "no": false, "0": false}

func (s *spring) under(prefix string) *springSetting {
	for _, found := range s.inOrder() {
		if strings.HasPrefix(found.path, prefix) && !strings.HasPrefix(found.path, prefix+"redisson.") {
			return &found
		}
	}
	return nil
}

// plain is a scalar with its placeholders replaced.
func (s *spring) plain(found springSetting) (string, bool) {
	text, ok := config.Scalar(found.node)
	return s.replace(text), ok
}

// addresses makes Redisson's addresses of Spring's.
func (s *spring) addresses(scheme string) {
	if s.section == "singleServerConfig" {
		host, port, from := "localhost", "6379", springSetting{}
		for name, value := range map[string]*string{"port": &port, "host": &host} {
			if found, ok := s.found[s.prefix+name]; ok {
				*value, _ = s.plain(found)
				if from.node == nil || name == "host" {
					from = found
				}
			}
		}
		if from.node != nil {
			s.add("address", from, scheme+host+":"+port)
			return
		}
		from = *s.under(s.prefix)
		from.name = s.prefix + "host"
		s.add("address", from, scheme+host+":"+port).note.Why = "Spring's default: no host is written"
		return
	}
	name := map[string]string{"sentinelServersConfig": "sentinelAddresses", "clusterServersConfig": "nodeAddresses"}[s.section]
	found := s.found[s.prefix+strings.TrimSuffix(s.section, "ServersConfig")+".nodes"]
	texts := textsOf(found.node)
	for i, text := range texts {
		texts[i] = s.replace(text)
	}
	if text, ok := s.plain(found); ok {
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

// add adds a setting of Redisson's that one of Spring's stands for.
func (s *spring) add(name string, from springSetting, texts ...string) *setting {
	out := &setting{row: kept[name], node: from.node, text: texts[0], texts: texts}
	out.note = Note{Setting: from.name, At: config.At(s.file, from.key.GetToken()), Value: out.show(texts...), Why: s.defaultsIn(from.node)}
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
	isTLS := name == "ssl" || name == "ssl.enabled"
	_, isBool := springBool[strings.ToLower(text)]
	switch {
	case strings.HasPrefix(name, "sentinel.") && s.section != "sentinelServersConfig", name == "database" && s.section == "clusterServersConfig":
		s.note(found, NotTaken, "it belongs to another kind of servers")
	case found.wrong == unknownKey: // Spring ignores it
		s.note(found, NotTaken, unknownKey)
	case found.wrong != "":
		s.wrong(found.name, found.key, "%s", found.wrong)
	case isNull(found.node):
		s.note(found, NotTaken, "it has no value")
	case (known || isTLS) && !plain:
		s.wrong(found.name, found.key, "must be a plain value: quote it where it holds braces or brackets")
	case (known && !isSecret(ours) || isTLS) && s.holdsVariable(text):
		s.wrong(found.name, found.key, unset)
	case isTLS && !isBool:
		s.wrong(found.name, found.key, "must be true or false")
	case known:
		n, err := springNumber(ours, text)
		if err != "" {
			s.wrong(found.name, found.node, "%s", err)
			return
		}
		s.add(ours, found, text).number = n
	case name == "url":
		s.note(found, NotTaken, "what the starter takes of it depends on its release: write host, port, username, password and database").Blocks = true
	case name == "ssl.bundle":
		s.note(found, NotTaken, "a bundle is not read here: set redis.tls.ca_file, cert_file and key_file to files in PEM").Blocks = true
	case s.isAddress(found):
	case isTLS, name == "port" && s.section == "singleServerConfig":
		s.note(found, Taken, "it is a part of the address")
	case name == "host", name == "port", name == "cluster.nodes":
		s.note(found, NotTaken, "Sentinels or a cluster are named, which the starter prefers")
	default:
		s.note(found, NotTaken, "")
	}
}

// isAddress reports whether the address was made of a setting, and so noted.
func (s *spring) isAddress(found springSetting) bool {
	for _, name := range []string{"address", "sentinelAddresses", "nodeAddresses"} {
		if at := s.byName[name]; at != nil && at.node == found.node {
			return true
		}
	}
	return false
}

// springNumber is the number that a setting of Redisson's gets of a text of Spring's, 0 where it
// is a text, and what is wrong with it.
func springNumber(name, text string) (int64, string) {
	switch name {
	case "timeout", "connectTimeout":
		if d, ok := springTime(text); ok {
			return d.Milliseconds(), ""
		}
		return 0, "must be a length of time, such as 3s or 3000"
	case "database":
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return 0, "must be a whole number"
		}
		return n, ""
	}
	return 0, ""
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
