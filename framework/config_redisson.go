package framework

import (
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/redissonconfig"
)

// LoadRedisson is [LoadConfig] for the file of a Redisson client, in YAML, JSON or Spring Boot's
// application.yaml. "duequeue config" says what becomes of each setting. One that decides about
// keys or servers and is not taken over is a mistake, unless [ByProgram] names it.
func LoadRedisson(path string, opts ...LoadOption) (Config, error) {
	s, err := redissonconfig.Load(path, applied(config.Source{}, opts))
	if err != nil {
		return Config{}, err
	}
	return loadConfig(s)
}

// RedissonRelease names the Redisson release that uses the file of [LoadRedisson]. Without this
// option the file may be of any release.
func RedissonRelease(release string) LoadOption {
	return loadOption(func(s *config.Source) { s.Release = release })
}

// ByProgram names settings, such as nameMapper, that [LoadRedisson] leaves to the program.
func ByProgram(settings ...string) LoadOption {
	return loadOption(func(s *config.Source) { s.ByProgram = append(s.ByProgram, settings...) })
}
