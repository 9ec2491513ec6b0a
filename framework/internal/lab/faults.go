package lab

import (
	"fmt"
	"syscall"
)

// Kill ends the server at once, as kill -9 does, and waits until it is gone.
// [Server.Restart] brings it back.
func (s *Server) Kill() { s.must("kill", s.proc.kill()) }

// Pause freezes the server (SIGSTOP): connections stay open and nothing answers.
func (s *Server) Pause() { s.must("pause", s.proc.signal(syscall.SIGSTOP)) }

// Resume lets a paused server go on (SIGCONT).
func (s *Server) Resume() { s.must("resume", s.proc.signal(syscall.SIGCONT)) }

// Restart runs the server again on the same port and directory, ending the old
// process in good order first if it still runs. Without [AppendOnly] its data are
// gone. It returns when the server answers.
func (s *Server) Restart() {
	err := s.proc.terminate()
	if err == nil {
		err = s.start()
	}
	if err != nil {
		err = fmt.Errorf("%w; its log ends with\n%s", err, s.Log())
	}
	s.must("restart", err)
}

func (s *Server) must(what string, err error) {
	if err != nil {
		s.fail("lab: %s %s: %v", what, s.Addr(), err)
	}
}
