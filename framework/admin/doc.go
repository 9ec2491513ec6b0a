// Package admin is for operators' tools: it examines queues, moves them to another element
// layout, gives back the messages that dead processes held, pauses and bounds all processes
// of a queue, lists queues and who serves them, and prints the rules of a Redis user. The command line, cmd/duequeue, uses it.
//
//	found, err := admin.Diagnose(ctx, client, []string{"ORDER_PAYMENT_TIMEOUT"}, admin.DiagnoseOptions{})
//
// Queues are named by text, as Java names them for getBlockingQueue. [Queue] binds one without
// a type, for its counts and its views.
package admin
