package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const aclHelp = `
acl prints the Redis user that a service needs: the keys and the channel of the
queues, and the commands that the code runs, no more. It connects to no server.

QUEUE is the name that Java gives to getBlockingQueue, behind a name mapper what it
returns; one that ends in * means all queues whose names begin so (quote it for the
shell). Name all that the service uses. -partitions means all partitions of each QUEUE,
of any number.

  -role look      only looks, as duequeue web does without -write: it can write nothing
  -role offer     offers, cancels and looks, and transfers nothing (no_transfer)
  -role serve     handles and transfers, too, as every client does that offers (the
                  default)
  -role operate   for people and this command line: dead, migrate, doctor

The line is for redis-cli, at its prompt or behind the word redis-cli in a shell.
It holds the SHA-256 of the password, which you fill in: Redis refuses the line as
long as it has the placeholder. -password-stdin reads the password from the
first line of standard input and fills it in; it is never printed and never an
argument, where other users and the shell's history would see it. To run the line
again, for further queues, is harmless.

-add prints what a user who exists lacks: the line gives it the keys, the channels or the
commands of the QUEUEs, and takes nothing away: password, state and other queues stay.

-file prints the line of a users.acl file instead. Behind Sentinel and on a Cluster
run the line on every server, replicas too: users are not replicated.
`

func aclCommand(e *env.Env) *cli.Command {
	var role, user, add string
	var file, partitions, stdin bool
	return e.Command(env.Spec{
		Name: "acl", Args: "QUEUE...", Short: "print the minimal rights of a Redis user", Group: env.GroupServe, Long: aclHelp,
		Examples: []string{"duequeue acl -role serve ORDERS REFUNDS", "printf %s \"$PASSWORD\" | duequeue acl -password-stdin -role operate 'ORD*'"}, JSON: aclUser{},
		Flags: []cli.Flag{
			env.String(&role, "role", admin.RoleServe.String(), "what the user is for: `ROLE` look, offer, serve or operate"),
			env.String(&user, "user", "duequeue", "`NAME` of the user"),
			env.String(&add, "add", "", "add `WHAT` to a user who exists: keys, channels or commands"),
			env.Bool(&file, "file", false, "print the line of a users.acl file"),
			env.Bool(&partitions, "partitions", false, "the queues have partitions (registry.Partitions)"),
			env.Bool(&stdin, "password-stdin", false, "read the password from standard input and print its SHA-256"),
		},
		Run: func(_ context.Context, queues []string) error {
			u := aclUser{Name: user, hash: aclPlaceholder}
			if partitions {
				for _, q := range slices.Clone(queues) {
					if !strings.HasSuffix(q, "*") {
						queues = append(queues, admin.EveryPartition(q))
					}
				}
			}
			var err error
			if u.role, err = admin.ParseRole(role); err != nil {
				return env.Usagef("acl: -role: %w", err)
			}
			if u.Rules, err = admin.ACLRules(u.role, queues...); err != nil {
				return env.Usagef("acl: %w", err)
			}
			if err = checkUserName(user); err != nil {
				return env.Usagef("acl: -user: %w", err)
			}
			if add != "" {
				if file || stdin {
					return env.Usagef("acl: -add leaves the password as it is, and prints a line for redis-cli: it goes with neither -file nor -password-stdin")
				}
				if u.Rules, err = only(add, u.Rules); err != nil {
					return err
				}
				u.hash = ""
			}
			if stdin {
				if u.hash, err = hashPassword(e.Stdin); err != nil {
					return err
				}
			}
			return u.print(e, file)
		},
	})
}

// aclKinds are how rules begin.
var aclKinds = map[string]string{"keys": "~", "channels": "&", "commands": "+"}

// only returns the rules of one kind.
func only(kind string, rules []string) ([]string, error) {
	sign, known := aclKinds[kind]
	if !known {
		return nil, env.Usagef("acl: -add %s: keys, channels or commands", kind)
	}
	return slices.DeleteFunc(rules, func(rule string) bool { return !strings.HasPrefix(rule, sign) }), nil
}

// aclPlaceholder takes the place of the hash. Redis demands 64 hexadecimal digits, so a
// line in which it was forgotten makes no user, and none whom all know.
const aclPlaceholder = "SHA-256-OF-THE-PASSWORD"

// aclUser is what is printed.
type aclUser struct {
	Name  string   `json:"user"`
	Role  string   `json:"role"`
	Rules []string `json:"rules"`

	Command string `json:"command"`        // for redis-cli
	File    string `json:"file,omitempty"` // for users.acl

	role admin.Role
	hash string // of the password; "" for what adds to a user
}

func (u *aclUser) print(e *env.Env, file bool) error {
	u.Role = u.role.String()
	// A user who exists keeps other passwords and rules otherwise.
	rules := u.Rules
	if u.hash != "" {
		rules = append([]string{"reset", "on", "#" + u.hash}, u.Rules...)
		// The file knows no quotes: it is cut at blanks, and rules hold none.
		u.File = "user " + u.Name + " " + strings.Join(rules[1:], " ")
	}
	quoted := make([]string, len(rules))
	for i, r := range rules {
		quoted[i] = words.Quote(r)
	}
	u.Command = "ACL SETUSER " + words.Quote(u.Name) + " " + strings.Join(quoted, " ")
	var err error
	switch {
	case e.JSON:
		err = e.Line(u)
	case file:
		_, err = fmt.Fprintln(e.Stdout, u.File)
	default:
		_, err = fmt.Fprintln(e.Stdout, u.Command)
	}
	return err
}

// checkUserName refuses what Redis does not take for a name, or a file cannot hold.
func checkUserName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return fmt.Errorf("%q: a name without blanks and control characters", name)
	}
	return nil
}

// hashPassword reads one line and returns its SHA-256.
func hashPassword(r io.Reader) (string, error) {
	const most = 4 << 10
	line, err := bufio.NewReader(io.LimitReader(r, most)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 || len(line) >= most-1 {
		return "", fmt.Errorf("no password on standard input, or one of more than %d bytes", most)
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:]), nil
}
