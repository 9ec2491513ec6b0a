package redissonconfig

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// hostile are texts that no team writes, with what is said of them.
var hostile = map[string]struct{ text, want string }{
	"alias bomb":       {"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nsingleServerConfig:\n  address: *b\n", "f:4): anchors and aliases are not followed"},
	"merge":            {"singleServerConfig:\n  <<: *x\n", "must be a plain text"},
	"deep flow":        {strings.Repeat("[", 100_000), "brackets are open"},
	"deep maps":        {strings.Repeat("{a: ", 30_000), "brackets are open"},
	"deep lists":       {strings.Repeat("- ", 60_000), "a line opens more than"},
	"deep tags":        {strings.Repeat("!a ", 40_000), "a line opens more than"},
	"deep keys":        {strings.Repeat("? ", 60_000), "a line opens more than"},
	"large":            {strings.Repeat("# x\n", 40_000), "more than 128 KiB"},
	"many keys":        {manyKeys(500), "and 400 more mistakes"},
	"zero byte":        {"a: \x00", "zero byte"},
	"no mapping":       {"hello", "must be a mapping"},
	"a list":           {"- a\n- b\n", "must be a mapping"},
	"empty":            {"", "the file is empty"},
	"comments":         {"# nothing\n", "the file is empty"},
	"broken":           {"a: [1\n", "not valid YAML"},
	"twice":            {"threads: 1\nthreads: 2\n", "already defined"},
	"two documents":    {"threads: 1\n---\nthreads: 2\n", "a second YAML document"},
	"no servers":       {"threads: 1\n", "nothing says where Redis is"},
	"null servers":     {"singleServerConfig:\n", "nothing says where Redis is"},
	"servers of text":  {"singleServerConfig: yes\n", "must be a mapping of settings"},
	"two modes":        {"singleServerConfig: {address: 'redis://a:1'}\nclusterServersConfig: {nodeAddresses: ['redis://a:1']}\n", "singleServerConfig is there, too"},
	"no address":       {"singleServerConfig: {timeout: 1}\n", "singleServerConfig.address (f): is missing"},
	"no scheme":        {"singleServerConfig: {address: '10.0.0.1:6379'}\n", "must begin with redis://"},
	"no port":          {"singleServerConfig: {address: 'redis://10.0.0.1'}\n", "needs a port"},
	"socket":           {"singleServerConfig: {address: 'redis+uds:///run/redis'}\n", "sockets of Unix"},
	"mixed tls":        {"clusterServersConfig: {nodeAddresses: ['redis://a:1', 'rediss://b:1']}\n", "some addresses have TLS"},
	"number":           {"singleServerConfig: {address: 'redis://a:1', timeout: 99999999999}\n", "fits Java's int"},
	"map for a number": {"singleServerConfig: {address: 'redis://a:1', timeout: {a: 1}}\n", "must be a plain value"},
	"codec text":       {"singleServerConfig: {address: 'redis://a:1'}\ncodec: Kryo5Codec\n", "must be an object, such as"},
	"codec field":      {"singleServerConfig: {address: 'redis://a:1'}\ncodec: !<org.redisson.codec.Kryo5Codec> {useReference: true}\n", "Redisson sets useReferences, true or false"},
	"two passwords":    {"password: geheim\nsingleServerConfig: {address: 'redis://a:1', password: geheimer}\n", "use one of the two"},
	"glued key":        {"singleServerConfig:\n  password:geheim: 1\n  address: redis://a:1\n", "write a blank behind it"},
	"password number":  {"singleServerConfig:\n  address: redis://a:1\n  password: [geheim, geheim]\n", "must be a single value"},
	"login twice":      {"singleServerConfig: {address: 'redis://u:geheim@a:1', password: geheimer}\n", "carries another password"},
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d:1: 1\n", i)
	}
	return b.String()
}

// TestHostile: what cannot be read is a typed mistake with its place, told without a
// password. One that took time would not end.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(Source{File: "f", Text: []byte(c.text)})
			var mistake *fault.ConfigError
			if !errors.As(err, &mistake) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestVariables: texts are replaced as Redisson's own loop replaces them.
func TestVariables(t *testing.T) {
	t.Parallel()
	r := &reader{src: Source{Environ: []string{"A=1", "B.C=2", "E="}}}
	for text, want := range map[string]string{
		"${A}${A:-x}": "11", "${B.C}": "2", "${N:-d}": "d", "${N}": "${N}", "${N:-a:-b}": "${N:-a:-b}", "${E}": "", "${E:-x}": "",
		"${N:-}": "${N:-}", "${N:-} ${A}": "} ${A", "${A-B}": "${A-B}", "$A ${ A}": "$A ${ A}", "${N:-x\n}": "${N:-x\n}", "${N:-${A}}": "${A}",
	} {
		if got, err := r.resolve([]byte(text)); err != nil || string(got) != want {
			t.Errorf("%q became %q, want %q (%v)", text, got, want, err)
		}
	}
	r = &reader{src: Source{Environ: []string{"A=" + strings.Repeat("${B}", 20_000), "B=" + strings.Repeat("x", 1000)}}}
	if _, err := r.resolve([]byte("${A} ${B}")); err == nil || !strings.Contains(err.Reason, "once ${B} is replaced") {
		t.Errorf("a bomb of variables: %v", err)
	}
}

// FuzzRead: any text becomes a mistake, or YAML of ours that is read again with the same
// values, each in a line of its own, without a password.
func FuzzRead(f *testing.F) {
	for _, c := range hostile {
		if len(c.text) < 1000 {
			f.Add(c.text)
		}
	}
	for _, c := range springCases {
		f.Add(c.text)
	}
	f.Add("singleServerConfig:\n  address: \"rediss://u:p%40@[::1]:6379\"\n  clientName: \"a#b\"\n  sslTruststore: \"file:/a b'\\n.jks\"\ncodec: {class: org.redisson.codec.LZ4Codec}\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Read(Source{File: "f", Text: []byte(text), Secrets: true})
		if err != nil {
			var mistakes fault.ConfigErrors
			if !errors.As(err, &mistakes) || len(mistakes) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if password := strings.Join(got.fields["redis.password"].values, ""); strings.Count(text, "geheim") == 1 && strings.Contains(password, "geheim") {
			if out := printed(Read(Source{File: "f", Text: []byte(text)})); strings.Contains(out, "geheim") {
				t.Errorf("the password is shown:\n%s", out)
			}
		}
		var into struct {
			Name  string `yaml:"client_name"`
			Redis struct {
				URL      string   `yaml:"url"`
				Addrs    []string `yaml:"addrs"`
				Mode     string   `yaml:"mode"`
				Master   string   `yaml:"master_name"`
				DB       int      `yaml:"db"`
				User     string   `yaml:"username"`
				Password string   `yaml:"password"`
				SUser    string   `yaml:"sentinel_username"`
				SPass    string   `yaml:"sentinel_password"`
				Dial     string   `yaml:"dial_timeout"`
				Read     string   `yaml:"read_timeout"`
				Write    string   `yaml:"write_timeout"`
				Pool     int      `yaml:"pool_size"`
				Idle     int      `yaml:"pool_idle"`
				TLS      struct {
					On  bool `yaml:"enabled"`
					Any bool `yaml:"insecure_skip_verify"`
				} `yaml:"tls"`
			} `yaml:"redis"`
		}
		read := config.Read(&into, config.Source{File: "f", YAML: got.YAML()})
		if err := read.Mistakes(func() fault.ConfigErrors { return nil }); err != nil {
			t.Fatalf("%v\n%s", err, got.YAML())
		}
		for path, want := range map[string]string{
			"client_name": into.Name, "redis.url": into.Redis.URL, "redis.addrs": strings.Join(into.Redis.Addrs, "\n"), "redis.master_name": into.Redis.Master,
			"redis.username": into.Redis.User, "redis.password": into.Redis.Password, "redis.sentinel_password": into.Redis.SPass,
		} {
			if f, ok := got.fields[path]; ok && strings.ToValidUTF8(strings.Join(f.values, "\n"), "\uFFFD") != want {
				t.Errorf("%s: wrote %q, read %q\n%s", path, f.values, want, got.YAML())
			}
		}
	})
}

// withPassword are files with PASSWORD where a password stands.
var withPassword = []string{
	"singleServerConfig:\n  address: redis://a:1\n  password: PASSWORD\n",
	"singleServerConfig:\n  password:PASSWORD: 1\n  address: redis://a:1\n",
	"singleServerConfig: {address: 'redis://a:1', password: PASSWORD}\n",
	"singleServerConfig: {address: 'redis://a:1', password: ${PW}}\n",
	"{\"singleServerConfig\": {\"address\": \"redis://a:1\"}, \"password\": PASSWORD}\n",
	"sentinelServersConfig: {masterName: m, sentinelAddresses: ['redis://a:1'], sentinelPassword: PASSWORD}\n",
	"singleServerConfig:\n  address: redis://u:PASSWORD@a:1\n",
	"sentinelServersConfig: {masterName: m, sentinelAddresses: ['redis://u:PASSWORD@a:1']}\n",
	"singleServerConfig:\n  address: rediss://a:1\n  sslTruststore: https://u:PASSWORD@h/t.jks\n",
	"singleServerConfig:\n  address: rediss://a:1\n  sslKeystore: https://h/t.jks?sig=PASSWORD\n  sslKeystorePassword: PASSWORD\n",
	"spring.redis:\n  host: a\n  password: PASSWORD\n  pasword: PASSWORD\n",
	"spring.data.redis:\n  host: a\n  password:PASSWORD: 1\n",
	"spring.redis: {host: a, password: PASSWORD}\n",
	"spring.redis: {host: a, password: '${NONE:${PW}}'}\n",
	"spring.redis.redisson.config: |\n  singleServerConfig: {address: 'redis://a:1', password: '${PW}'}\n",
	"spring.redis.redisson.config: |\n  singleServerConfig: {address: 'redis://a:1', password: ${PW}}\n",
	"spring.redis:\n  url: redis://u:PASSWORD@a:1\n",
}

// FuzzPassword: whatever a password is, and whether it should have been quoted, nothing that
// is printed of the file shows it.
func FuzzPassword(f *testing.F) {
	for _, before := range []string{"", "a,", "a, ", "a:", "{", "[", "}", "]", "'", "\"", "${", "$", "%", "%4", "@", "/", "?", "&", "*", "!", "|", ">", "#", "`", "-", "~", "a#", "a@b", "{a: ", "<<", "? "} {
		for _, after := range []string{"", ",b", ":b", ":", "}", "]", "{b", "'", "\"", "@b", "?b", "%", "/b"} {
			f.Add(before, after)
		}
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		password := before + "geheim" + after
		if len(password) > 100 || strings.ContainsAny(password, "\r\n\t\u0085\u2028\u2029") || strings.Contains(after, ": ") {
			return // its rest is a setting of its own
		}
		for _, file := range withPassword {
			text := strings.ReplaceAll(file, "PASSWORD", password)
			if text != file && placeholder.MatchString(password) {
				continue // it is the name of a variable
			}
			got, err := Read(Source{File: "f", Text: []byte(text), Environ: []string{"PW=" + password}})
			if out := printed(got, err); strings.Contains(out, "geheim") {
				t.Errorf("%s\nshows it:\n%s", text, out)
			}
		}
	})
}
