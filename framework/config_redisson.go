package framework

import (
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/redissonconfig"
)

// LoadRedisson is [LoadConfig] for the file of a Redisson client: redisson.yaml, its form in
// JSON, or an application.yaml of Spring Boot. "duequeue config -redisson FILE" says what
// becomes of each setting. One that is not possible, and without which a service would work on
// other keys or reach no Redis, is a mistake unless [ByProgram] names it. The codec of the
// file is for the program to declare its queues with.
func LoadRedisson(path string, opts ...LoadOption) (Config, error) {
	s := config.Source{Prefix: DefaultEnvPrefix}
	for _, opt := range opts {
		if opt != nil {
			opt.applyLoad(&s)
		}
	}
	s, err := redissonconfig.Load(path, s)
	if err != nil {
		return Config{}, err
	}
	return loadConfig(s)
}

// RedissonRelease says which release of Redisson reads the file of [LoadRedisson], such as
// 3.18.1: what that one refuses is a mistake. By default any release may.
func RedissonRelease(release string) LoadOption {
	return redissonOption(func(s *config.Source) { s.Release = release })
}

// ByProgram names settings of Redisson's that [LoadRedisson] leaves to the program: nameMapper,
// for one, where it gives [WithNameMapper] to [Open].
func ByProgram(settings ...string) LoadOption {
	return redissonOption(func(s *config.Source) { s.ByProgram = append(s.ByProgram, settings...) })
}

type redissonOption func(s *config.Source)

func (o redissonOption) applyLoad(s *config.Source) { o(s) }
