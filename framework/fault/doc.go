// Package fault has the errors of package framework that carry data or that callers branch
// on. Find them with errors.As and errors.Is:
//
//	client, err := framework.Open(ctx, cfg)
//	var refused *fault.RefusedError
//	if errors.As(err, &refused) {
//		log.Fatal(refused.Hint)
//	}
package fault
