package env

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/handlers"
)

// Bounds of a completion: a person waits for it with a finger on the key.
const (
	completeTime  = time.Second
	completeShare = 0.5 // of that time, for which a server searches for queues
	mostSuggested = 200
)

// completeVariable is the environment variable in which the scripts of shells say which shell
// it is and what of the word is there already: "zsh:ORD".
const completeVariable = "DUEQUEUE_COMPLETE"

// CompletionScript lets a script of the library pass what of the word is there already, so that
// few names of very many queues are sent.
func CompletionScript(shell, script string) string {
	switch shell {
	case "bash":
		return strings.Replace(script, `$(eval "${request_comp}"`, `$(export `+completeVariable+`="bash:${cur}"; eval "${request_comp}"`, 1)
	case "zsh":
		return strings.ReplaceAll(script, `$(${words[@]`, `$(`+completeVariable+`="zsh:${current}" ${words[@]`)
	case "fish":
		return strings.ReplaceAll(script, `set results ($args[1]`, `set results (env `+completeVariable+`="fish:$lastArg" $args[1]`)
	}
	return script
}

// complete suggests what may stand where the command line ends: values of the flag that stands
// there, names of queues or contexts, and else flags and verbs. What fails suggests nothing.
func (e *Env) complete(ctx context.Context, c *cli.Command) {
	args := c.Args().Slice()
	if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "-") {
		if values := valuesOf(c, strings.TrimLeft(args[n-1], "-")); values != nil {
			e.suggest(values)
			return
		}
		cli.DefaultCompleteWithFlags(ctx, c)
		return
	}
	switch path := Path(c); {
	case path == "context use" || path == "context remove":
		if len(args) == 0 {
			e.suggest(contextsToSuggest())
		}
	case takesQueue(SpecOf(c).Args, len(args)):
		e.suggest(e.queuesToSuggest(ctx))
	default:
		cli.DefaultCompleteWithFlags(ctx, c)
	}
}

// valuesOf returns the values of a flag that are known, nil where they are not.
func valuesOf(c *cli.Command, flag string) []string {
	switch {
	case flag == "codec":
		return catalog.Names()
	case flag == "context":
		return contextsToSuggest()
	case flag == "reason" && strings.HasPrefix(Path(c), "dead "):
		return handlers.Reasons()
	}
	return nil
}

// takesQueue reports whether the next argument is a queue, by what help says of the arguments.
func takesQueue(help string, given int) bool {
	first := strings.Trim(help, "[]")
	if at := strings.Index(help, " QUEUE..."); at >= 0 && strings.HasPrefix(help, "-") {
		first = help[at+1:]
	}
	if help == "KEY [QUEUE...]" {
		return given > 0
	}
	return strings.HasPrefix(first, "QUEUE...") || strings.HasPrefix(first, "QUEUE") && given == 0
}

func contextsToSuggest() []string {
	_, names, err := ReadContexts()
	if err != nil {
		return []string{}
	}
	return names
}

// queuesToSuggest searches for queues. It returns none where that takes too long.
func (e *Env) queuesToSuggest(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	found := make(chan []string, 1)
	background.Go(ctx, "search for queues", func() { // a connection that hangs ends with the program
		defer close(found)
		client, err := e.Open(ctx, framework.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			return
		}
		if names, _, err := admin.QueueNames(ctx, client, admin.QueuesOptions{Share: completeShare}); err == nil {
			found <- names
		}
		_ = client.Close() // nothing was written
	})
	select {
	case names := <-found:
		return names
	case <-ctx.Done():
		return nil
	}
}

// plainName matches names that shells take as they are.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_./@+-]+$`)

// suggest prints the words that begin with what is there already. A colon ends a word for the
// scripts of shells, but for zsh, where it can be escaped.
func (e *Env) suggest(words []string) {
	shell, begun, _ := strings.Cut(os.Getenv(completeVariable), ":")
	if strings.HasPrefix(begun, "-") {
		begun = ""
	}
	begun = strings.ReplaceAll(begun, `\`, "")
	n := 0
	for _, word := range slices.Sorted(slices.Values(words)) {
		plain, shown := word, word
		if shell == "zsh" {
			plain, shown = strings.ReplaceAll(word, ":", ""), strings.ReplaceAll(word, ":", `\:`)
		}
		if !plainName.MatchString(plain) || !strings.HasPrefix(word, begun) {
			continue
		}
		fmt.Fprintln(e.Stdout, shown)
		if n++; n == mostSuggested {
			return
		}
	}
}
