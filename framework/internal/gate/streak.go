package gate

// streak is the different messages that failed one after another while the breaker was
// closed. It holds as many as the breaker allows and no more: the last one trips it.
type streak map[string]struct{}

// add notes a failure and reports whether it is the first one of its message since
// something succeeded: one that fails again proves nothing new.
func (s streak) add(message string) (first bool) {
	if _, known := s[message]; known {
		return false
	}
	s[message] = struct{}{}
	return true
}
