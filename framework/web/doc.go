// Package web is the console: an [http.Handler] that shows delayed queues to people, for the
// mux of a service; "duequeue web" is the same alone.
//
//	console, err := web.New(client, web.Options{
//		BasePath:  "/queues",
//		Queues:    []registry.Descriptor{PaymentTimeout, NotEvaluated},
//		Authorize: func(r *http.Request) (web.User, error) { … },
//	})
//	mux.Handle("/queues/", console)
//
// It shows the queues that the program declares, with their titles, and those that it finds in
// Redis. It changes nothing unless Options.Writable is set, and then only for users whose [Role]
// allows it. All viewers share one set of readings and one budget of Redis's time.
//
// # How it is made
//
// A page is a value of type page: a path, the least role, a function that returns what its
// template shows. To add one, write a file with a function that returns it, a template of that name
// in templates, and list it in pages.go:
//
//	func (c *Console) examplePage() page {
//		return page{path: "/example", name: "Example", at: inQueue, role: RoleLook, template: "example.html", get: c.example}
//	}
//
//	func (c *Console) example(r *request) (any, error) {
//		n, err := read(r, "counts "+r.queue, 2*time.Second, func(ctx context.Context) (framework.Counts, error) { … })
//		return exampleData{Counts: n}, err
//	}
//
// An action is the same for a POST. All of them are made of the table in package operations, which the
// command line has as well: name, arguments, role, texts and what is done are there. A page shows the
// forms of those that the user may do: {{range .Forms "/queue"}}{{template "operation" .}}{{end}}.
//
// The template defines "main" and gets a *view: .Page is what the function returned, .Link makes
// the address of another page ({{.Link "/queue" "q" .Queue}}, within a range {{$.Link …}}), .May
// tells whether to show a button ({{if .May "/queue/pause"}}). Functions are in funcs.go: time, age, count and others.
//
// What changes while one looks is in an element with an id and the attribute data-live; the script
// replaces it every few seconds. Everything works without the script. A chart is SVG with its
// numbers next to it, in data-plot, which charts.js draws with uPlot, and again when they were replaced.
//
// Every reading of Redis goes through read, which shares it between viewers and holds it to the
// budget. Values that others wrote (names, reasons, payloads) reach a page through
// html/template alone, and through clean where they could turn the direction of text. There is
// no inline style or script, and no style attribute: the policy of the pages forbids them.
package web
