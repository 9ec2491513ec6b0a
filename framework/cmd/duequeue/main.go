// Command duequeue is for the people who run queues: it shows what is in them and what is
// wrong, and changes it. See "duequeue help".
//
// A command lives in the package of its group in "duequeue help": look, change (which steers
// processes, too), repair, payloads, serve; those of this program itself are in package main. What
// changes messages or steers processes is made of the table in package operations, which the console
// has as well: to add one, add it there. The other packages below internal hold what commands need:
// env what each gets, screen and manual what people see, reading how payloads are read; inspect,
// javadesc, gosource and compat what is known of Java's classes.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
