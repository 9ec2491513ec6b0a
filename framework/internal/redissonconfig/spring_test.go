package redissonconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// springCases are files of Spring Boot, the line of our YAML that must come out, or the
// mistake, and a note that must be there.
var springCases = []struct{ name, text, want, note string }{
	{
		"inline", "spring:\n  redis:\n    host: elsewhere\n    redisson:\n      config: |\n        singleServerConfig:\n          address: redis://${redis.host:10.0.0.1}:6379\n          database: 4\nserver:\n  port: 8080\n",
		"url: redis://10.0.0.9:6379/4", "spring.redis.host (application.yaml:3): spring.redis.redisson.config is there",
	},
	{"places", "spring.redis.redisson.config: |\n  singleServerConfig:\n    pasword: 1\n", "singleServerConfig.pasword (application.yaml:3): unknown", ""},
	{"spring's own defaults", "spring:\n  redis:\n    redisson:\n      config: |\n        singleServerConfig:\n          address: redis://${NO_SUCH:-10.0.0.1}:6379\n", "url: redis://-10.0.0.1:6379", ""},
	{"file", "spring:\n  redis:\n    redisson:\n      file: classpath:redisson.yaml\n", "url: redis://10.1.1.1:6379", "singleServerConfig.address (redisson.yaml:2)"},
	{"no file", "spring:\n  redis:\n    redisson:\n      file: classpath:nosuch.yaml\n", "spring.redis.redisson.file (application.yaml:4): names", ""},
	{
		"boot 3", "spring:\n  data:\n    redis:\n      host: ${REDIS_HOST:localhost}\n      port: 6380\n      database: 2\n      password: geheim\n      ssl:\n        enabled: true\n      timeout: 3s\n      connect-timeout: PT2S\n      client-name: shop\n      lettuce:\n        pool:\n          max-active: 8\n",
		"url: rediss://10.0.0.9:6380/2", "# - spring.data.redis.lettuce.pool.max-active (application.yaml:15)\n",
	},
	{"boot 3 times", "spring.data.redis:\n  host: h\n  connectTimeout: 2500\n", "dial_timeout: 2.5s", ""},
	{"boot 2 sentinel", "spring:\n  redis:\n    sentinel:\n      master: mymaster\n      nodes: 10.0.0.1:26379, 10.0.0.2:26379\n    host: ignored\n    database: 1\n", "- 10.0.0.2:26379", "spring.redis.host (application.yaml:6): Sentinels or a cluster are named"},
	{"cluster", "spring:\n  data:\n    redis:\n      cluster:\n        nodes: [ '10.0.0.1:7000' ]\n        max-redirects: 3\n", "mode: cluster", ""},
	{"default", "spring:\n  redis:\n    database: 3\n", "url: redis://localhost:6379/3", "Spring's default"},
	{"url", "spring:\n  redis:\n    url: redis://u:geheim@h:1\n", "url: redis://localhost:6379", "spring.redis.url (application.yaml:3): what the starter takes of it"},
	{"both", "spring:\n  redis:\n    host: a\n  data:\n    redis:\n      host: b\n", "spring.redis (application.yaml:3): spring.data.redis is there, too", ""},
	{"profile", "spring:\n  redis:\n    host: a\n---\nspring:\n  config:\n    activate:\n      on-profile: prod\n  redis:\n    host: b\n", "url: redis://a:6379", "the profile prod is not read"},
	{"only a profile", "server: {}\n---\nspring:\n  profiles: prod\n  redis:\n    host: b\n", `only the profile "prod" says where Redis is`, ""},
	{"two documents", "spring:\n  redis:\n    host: a\n---\nspring:\n  redis:\n    port: 1\n", "settings of Redis stand in several documents", ""},
	{"not text", "spring:\n  redis:\n    redisson:\n      config: [a]\n", "must be a text, behind |", ""},
	{"bad time", "spring:\n  redis:\n    timeout: soon\n", "spring.redis.timeout (application.yaml:3): must be a length of time", ""},
	{"unset", "spring:\n  redis:\n    host: ${NO_SUCH}\n", "a variable is not set here", ""},
	{"misspelt password", "spring.redis:\n  host: a\n  pasword: geheim\n", "url: redis://a:6379", "# - spring.redis.pasword (application.yaml:3)\n"},
	{"password in braces", "spring.redis:\n  host: a\n  password: {geheim}\n", "spring.redis.password (application.yaml:3): must be a plain value: quote it", ""},
	{"password of a sentinel in braces", "spring.redis:\n  sentinel: {master: m, nodes: 'a:1', password: {geheim: 1}}\n", "spring.redis.sentinel.password (application.yaml:2): must be a plain value", ""},
	{"misspelt password in braces", "spring.redis:\n  host: a\n  pasword: {geheim}\n", "url: redis://a:6379", "spring.redis.pasword (application.yaml:3): a key that is unknown; quote"},
	{"glued password", "spring.redis:\n  host: a\n  password:geheim:\n", "spring.redis.password (application.yaml:3): a colon in a key: write a blank behind it", ""},
	{"glued password, not used", "spring.redis:\n  redisson.file: redisson.yaml\n  password:geheim: 1\n", "url: redis://10.1.1.1:6379", "spring.redis.password (application.yaml:3): spring.redis.redisson.file is there"},
	{"password with a comma", "spring.redis: {host: a, password: abc,geheim}\n", "url: redis://a:6379", "spring.redis (application.yaml:1): a key that is unknown; quote"},
	{"password with a comma and a colon", "spring.redis: {host: a, password: abc,geheim:x}\n", "url: redis://a:6379", "spring.redis (application.yaml:1): a key that is unknown; quote"},
	{"active profiles", "spring: {profiles: {active: prod}, redis: {host: a}}\n", "url: redis://a:6379", ""},
	{"active profiles, dotted", "spring.profiles.active: prod\nspring.data.redis.host: a\n", "url: redis://a:6379", ""},
	{"included profiles", "spring:\n  profiles:\n    include: [a, b]\n    group: {prod: [x]}\n    default: dev\n  redis:\n    host: a\n", "url: redis://a:6379", ""},
	{"active and other profiles", "spring:\n  profiles: {active: prod}\n  redis: {host: a}\n---\nspring:\n  profiles: [prod, test]\n  redis: {host: b}\n---\nspring:\n  profiles: dev\n  redis: {host: c}\n", "url: redis://a:6379", "the profile prod is not read: copy its part into a file of its own\n# - spring.redis (application.yaml:9): the profile dev"},
	{"nested", "spring.redis.host: ${A:${B:${REDIS_HOST:x}}}\n", "url: redis://10.0.0.9:6379", "the default of ${B}, ${A} is taken"},
	{"nested, unset", "spring.redis.host: ${A:${B}}\n", "(application.yaml:1): a variable is not set here", ""},
	{"nested, not needed", "spring.redis.host: ${REDIS_HOST:${B}}\n", "url: redis://10.0.0.9:6379", ""},
	{"unset with a dash", "spring.redis: {host: a, username: '${redis-user}', password: x}\n", "spring.redis.username (application.yaml:1): a variable is not set here", ""},
	{"unset number", "spring.redis: {host: a, database: '${redis-db}'}\n", "spring.redis.database (application.yaml:1): a variable is not set here", ""},
	{"unset TLS", "spring.redis: {host: a, ssl: '${redis-tls}'}\n", "spring.redis.ssl (application.yaml:1): a variable is not set here", ""},
	{"unset inside", "spring.redis.redisson.config: |\n  singleServerConfig:\n    address: redis://${redis-host}:1\n", "(application.yaml:3): a variable is not set here", ""},
	{"of itself", "a: ${b}\nb: ${a}\nspring.redis.host: ${a}\n", "a variable is not set here", ""},
	{"from the same file", "app: {redis-host: 10.2.2.2}\n---\nspring.redis.host: ${app.redisHost:localhost}\n", "url: redis://10.2.2.2:6379", ""},
	{"from another profile", "app: {redis-host: 10.2.2.2}\nspring.profiles: prod\n---\nspring.redis.host: ${app.redis-host:localhost}\n", "url: redis://localhost:6379", "spring.redis.host (application.yaml:4): the default of ${app.redis-host} is taken"},
	{"default of a password", "spring.redis: {host: a, password: '${PW:geheim}'}\n", "spring.redis.password (application.yaml:1): the default of ${PW} is taken", ""},
	{"default inside", "spring.redis.redisson.config: |\n  singleServerConfig:\n    address: redis://${host:10.2.2.2}:1\n", "url: redis://10.2.2.2:1", "spring.redis.redisson.config (application.yaml:1): the default of ${host} is taken"},
	{"file with a mistake", "spring.redis:\n  redisson.file: broken.yaml\n", "codec (broken.yaml:3): names no class", ""},
	{"notes beside a file", "spring.redis:\n  redisson.file: redisson.yaml\n  host: a\n---\nspring:\n  profiles: prod\n  redis.host: b\n", "spring.redis (application.yaml:5): the profile prod", "spring.redis.host (application.yaml:3): spring.redis.redisson.file is there"},
	{"parts of the address", "spring.redis:\n  host: a\n  port: ${PORT:7}\n  ssl:\n    enabled: yes\n    key-store-password: geheim\n", "url: rediss://a:7", "spring.redis.port (application.yaml:3): the default of ${PORT} is taken; it is a part of the address"},
	{"TLS has a comment", "spring.redis:\n  sentinel: {master: m, nodes: 'a:1'}\n  ssl: true\n", "# spring.redis.ssl (application.yaml:3): it is a part of the address\n    enabled: true", ""},
	{"stores have a comment", "spring.redis:\n  host: a\n  ssl.key-store-password: geheim\n", "# - spring.redis.ssl.key-store-password (application.yaml:3)\n", ""},
	{"neither true nor false", "spring.redis: {host: a, ssl: maybe}\n", "spring.redis.ssl (application.yaml:1): must be true or false", ""},
}

// TestSpringPasswords: a password is the text that Spring makes of it, or a mistake.
func TestSpringPasswords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"${redis-password}": "the variable is not set here", "${app.password}": "10.0.0.9 1", "${A:${B:x}}": "x", "x${REDIS_HOST}": "x10.0.0.9", "${A:-}": "-", "${A:}": "", "${A": "${A", "a}${A:b}{": "a}b{",
		"${A:{x}}": "{x}", "${A:${redis-password}}": "the variable is not set here",
	} {
		got, err := Read(Source{File: "application.yaml", Secrets: true, Environ: []string{"REDIS_HOST=10.0.0.9"}, Text: []byte("app.password: ${redis.host} 1\nspring.redis: {host: a, password: '" + text + "'}\n")})
		switch {
		case err != nil && !strings.Contains(err.Error(), want), err == nil && strings.Join(got.fields["redis.password"].values, "") != want:
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}

// TestSpringBomb: placeholders that name others many times end: 2^40 texts would not.
func TestSpringBomb(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "p%d: ${p%d}${p%d}\n", i, i+1, i+1)
	}
	out := printed(Read(Source{File: "application.yaml", Environ: []string{"OPEN=" + strings.Repeat("${", 1<<20)}, Text: []byte(text.String() + "p40: ''\nspring.redis: {host: '${p0}', client-name: '${OPEN}'}\n")}))
	if !strings.Contains(out, "a variable is not set here") {
		t.Error(out)
	}
}

// TestSpring: an application.yaml is read as the starter of Redisson reads it.
func TestSpring(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "redisson.yaml"), []byte("singleServerConfig:\n  address: redis://10.1.1.1:6379\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.yaml"), []byte("singleServerConfig:\n  address: redis://10.1.1.1:6379\ncodec: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range springCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(Source{File: "application.yaml", Folder: dir, Text: []byte(c.text), Environ: []string{"REDIS_HOST=10.0.0.9"}})
			out := printed(got, err)
			if !strings.Contains(out, c.want) || !strings.Contains(out, c.note) || strings.Contains(out, "geheim") {
				t.Errorf("%s\nwant %s\nand  %s", out, c.want, c.note)
			}
		})
	}
}
