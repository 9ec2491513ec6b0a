package redisson

import "github.com/duequeue/duequeue/framework/internal/rediserr"

// What package framework calls by these names.
type (
	AnswersCut      = rediserr.AnswersCut
	PermissionError = rediserr.PermissionError
	ServerError     = rediserr.ServerError
	WrongTypeError  = rediserr.WrongTypeError
)

// Classify is [rediserr.Classify].
func Classify(name string, err error) error { return rediserr.Classify(name, err) }

// CutAnswers is [rediserr.CutAnswers].
func CutAnswers(text string) string { return rediserr.CutAnswers(text) }
