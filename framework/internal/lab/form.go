package lab

import "os"

// EnvLong names the environment variable that asks for the long form of the tests.
const EnvLong = "DUEQUEUE_TEST_LONG"

// LongForm reports whether tests that have a long form run in it: "make thorough" and the
// slices of CI ask for it, "make test" does not.
func LongForm() bool { return os.Getenv(EnvLong) == "1" }
