package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// demo is a few customers.
func demo(ctx context.Context, out io.Writer, url string, payment time.Duration) error {
	numbers := []string{"A-1", "A-2", "A-3", "A-4", "A-5"}
	for _, number := range numbers {
		answer, err := call(ctx, "POST", url+"/orders/"+number)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, answer)
	}
	for _, number := range numbers[1:3] {
		answer, err := call(ctx, "POST", url+"/orders/"+number+"/payment")
		if err != nil {
			return err
		}
		fmt.Fprintln(out, answer)
	}
	fmt.Fprintf(out, "… %v to pay …\n", payment)
	for _, number := range numbers {
		for {
			answer, err := call(ctx, "GET", url+"/orders/"+number)
			if err != nil {
				return err
			}
			if !strings.Contains(answer, "unpaid") {
				fmt.Fprintln(out, answer)
				break
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	answer, err := call(ctx, "POST", url+"/orders/A-1/payment")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, answer)
	return nil
}

// call returns what the service answers.
func call(ctx context.Context, method, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(text)), err
}
