// Package tracing has what a program needs beside an OpenTelemetry SDK to see a
// delayed message as one story: a sampler that keeps consumers together with
// their producers, and a log handler that names the trace.
package tracing
