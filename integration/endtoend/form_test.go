package endtoend_test

import "os"

// longForm reports whether tests that have a long form run in it: make integration
// wants it, make test does not.
func longForm() bool { return os.Getenv("DUEQUEUE_TEST_LONG") == "1" }
