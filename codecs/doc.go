// Package codecs turns bytes into values: it defines what a codec is, the limits
// every decoder keeps, the errors all of them return, and Redisson's plain codecs.
// Each richer Java format is one package below it.
package codecs
