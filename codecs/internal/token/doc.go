// Package token is what the formats of Jackson's family have in common above their
// bytes: a payload as a flat tape of tokens, and a generator that writes tokens.
//
// A format is two things: a function that puts one whole payload on a [Tape] (by a
// [Builder], which keeps the limits), and a [Generator]. Neither knows Java classes;
// what tokens mean is the matter of package databind.
//
// The tape is made in one pass, before anything is made of its values: a payload is
// known to be well-formed and within the limits from then on, a look ahead costs
// nothing (Jackson finds "@class" at any place of an object), and a value is skipped
// in one step.
package token
