// Package migrate makes pending elements readable for every Redisson: those that only some
// versions read become universal elements, in place.
//
// migrate.go walks a queue once, follow.go goes on with what is offered meanwhile.
package migrate
