//go:build js

package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/resolvent/resolvent/examples/playground/internal/trial"
)

// call is a call of the page.
type call struct {
	trial.Input
	// Fix, if set, is a fix to apply, counted from 0.
	Fix *int `json:"fix"`
}

// reply has the answer or, after a fix, the text of the cluster.
type reply struct {
	Answer  *trial.Answer `json:"answer,omitempty"`
	Cluster string        `json:"cluster"`
	Error   string        `json:"error"`
}

// main gives JavaScript the function resolvent. It takes a call as JSON, and a function for
// the reply as JSON.
func main() {
	js.Global().Set("resolvent", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, done := args[0].String(), args[1]
		go func() {
			reply, err := json.Marshal(answer(context.Background(), text))
			if err != nil {
				reply, _ = json.Marshal(map[string]string{"error": err.Error()})
			}
			done.Invoke(string(reply))
		}()
		return nil
	}))
	js.Global().Get("ready").Invoke()
	select {}
}

func answer(ctx context.Context, text string) (r reply) {
	var c call
	err := json.Unmarshal([]byte(text), &c)
	switch {
	case err != nil:
	case c.Fix != nil:
		r.Cluster, err = trial.Apply(ctx, c.Input, *c.Fix)
	default:
		r.Answer = trial.Answers(ctx, c.Input)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}
