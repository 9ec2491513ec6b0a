package lab

import "testing"

// A server that lost its port to another one must not take the other's answers for its own.
func TestAStartKnowsItsOwnServer(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]func(*Server) Option{
		"redis":    func(*Server) Option { return Args() },
		"sentinel": func(master *Server) Option { return watch(master, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := StartRedis(t)
			path, err := binary()
			if err != nil {
				t.Fatal(err)
			}
			s := &Server{path: path, dir: t.TempDir(), set: newSettings([]Option{opt(other)}), fail: t.Fatalf}
			if err := s.writeSentinelFile(); err != nil {
				t.Fatal(err)
			}
			s.port = other.port
			if err := s.start(); err == nil {
				t.Errorf("started on %s, which is another server's", s.Addr())
				if err := s.shut(); err != nil {
					t.Error(err)
				}
			} else if !portTaken(s.Log()) {
				t.Errorf("%v; the log does not say that the port is taken:\n%s", err, s.Log())
			}
		})
	}
}
