package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/operations"
	"github.com/duequeue/duequeue/framework/web"
)

// face is a console of a user with a role.
func face(t *testing.T, c *framework.Client, role web.Role) *web.Console {
	t.Helper()
	console, err := web.New(c, web.Options{
		Writable: true, History: -1, Budget: 1, SearchBudget: 1,
		Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: role}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	return console
}

// posted sends a form.
func posted(h http.Handler, path string, form url.Values) int {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// An operation that is added to the table is a command with its flags and help, and an action of the
// console with its form and role; both write it to the audit.
func TestNewOperationIsInBothFaces(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	t.Setenv("USER", "alice")
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	before := operations.All
	t.Cleanup(func() { operations.All = before })
	operations.All = append(slices.Clone(before), operations.Operation{
		Name: "greet", Subject: operations.Queues, Role: "operate", Short: "say hello to a queue", Examples: []string{"duequeue greet -times 2 ORDERS"},
		Title: "Say hello", Button: "Greet", Note: "It is only polite.",
		New: func() *operations.Run {
			times := 1
			return &operations.Run{
				Args: []*operations.Arg{{Name: "times", To: &times, Help: "so many `TIMES`", Label: "Times"}},
				One: func(_ context.Context, c *operations.Call) (operations.Result, error) {
					return operations.Result{Said: fmt.Sprintf("%s greets %s %d times", c.Who, c.Queue, times)}, nil
				},
			}
		},
	})
	for _, row := range []struct {
		code int
		says string
		args []string
	}{
		{exitOK, "say hello to a queue", []string{"help"}},
		{exitOK, "-times TIMES", []string{"help", "greet"}},
		{exitUsage, `"x": a whole number`, []string{"greet", "-times", "x", "ORDERS"}},
		{exitOK, "ORDERS: bob greets ORDERS 3 times", []string{"greet", "-new", "-times", "3", "-by", "bob", "ORDERS"}},
		{exitOK, `{"queue":"ORDERS","done":"bob greets ORDERS 1 times"`, []string{"greet", "-new", "-json", "-by", "bob", "ORDERS"}},
	} {
		if code, out, errs := called(t, row.args...); code != row.code || !strings.Contains(out+errs, row.says) {
			t.Errorf("%q: %d %s%s", row.args, code, out, errs)
		}
	}

	called(t, "pause", "-new", "-wait", "0", "-reason", "so that there is one", "ORDERS")
	operator, looker := face(t, c, web.RoleOperate), face(t, c, web.RoleLook)
	page := httptest.NewRecorder()
	operator.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/queue?q=ORDERS", nil))
	for _, want := range []string{`action="/queue/greet"`, `name="times"`, "Say hello", "Greet", "It is only polite."} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	form := url.Values{"q": {"ORDERS"}, "reason": {"manners"}, "times": {"4"}}
	if code := posted(looker, "/queue/greet", form); code != http.StatusForbidden {
		t.Errorf("who may only look: %d", code)
	}
	if code := posted(operator, "/queue/greet", form); code != http.StatusSeeOther {
		t.Errorf("who may: %d", code)
	}
	if form.Set("times", "x"); posted(operator, "/queue/greet", form) != http.StatusUnprocessableEntity {
		t.Error("no number is taken")
	}
	trail, _, err := admin.AuditTrail(t.Context(), c, admin.AuditOptions{Action: "greet"})
	var got []string
	for _, a := range trail {
		got = append(got, strings.Join([]string{a.Who, a.Via, a.Role, a.Target, a.Reason, a.Result}, "|"))
	}
	if err != nil || len(got) != 4 || got[1] != "ann|console|operate|times 4|manners|ann greets ORDERS 4 times" || !strings.HasPrefix(got[3], "bob|command line||times 3|") {
		t.Errorf("%q, %v", got, err)
	}
}

// Every operation of the table is a command, and an action of the console unless it says why not.
func TestEveryOperationIsInBothFaces(t *testing.T) {
	srv := lab.StartRedis(t)
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	console, root := face(t, c, web.RoleAdmin), tree(&env.Env{})
	pages := map[operations.Subject][]string{
		operations.Queues: {"/queue/"}, operations.Pending: {"/message/", "/pending/"}, operations.Dead: {"/dead/"}, operations.Ready: {"/ready/"},
	}
	for _, o := range operations.All {
		parent := root
		if o.Subject == operations.Dead || o.Subject == operations.Ready {
			parent = root.Command("dead")
		}
		at := slices.IndexFunc(parent.Commands, func(c *cli.Command) bool { return c.Name == o.Name })
		if at < 0 {
			t.Fatalf("there is no command %s", o.Name)
		}
		for _, a := range o.New().Args {
			if !slices.ContainsFunc(parent.Commands[at].Flags, func(f cli.Flag) bool { return f.Names()[0] == a.Name }) {
				t.Errorf("%s has no flag -%s", o.Name, a.Name)
			}
		}
		if o.CommandOnly != "" {
			continue
		}
		for _, path := range pages[o.Subject] {
			path += o.Name
			if strings.HasPrefix(path, "/pending/") {
				path += "-all"
			}
			if code := posted(console, path, url.Values{"reason": {"x"}}); code != http.StatusBadRequest { // it needs a queue
				t.Errorf("%s: %d", path, code)
			}
		}
	}
}
