package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
)

// ChangeChannel returns the first of the changes of a request to one of the channels with
// which what it has installed is updated; nil if none is.
func (f *Fixer) ChangeChannel(p *model.Part, r *request.Request, channels []string) *fixes.Fix {
	installed := p.Installed[r.Current].Name()
	for _, channel := range channels {
		if !f.mayTry() {
			return nil
		}
		c := inChannel(p, r, channel)
		o := f.try(f.In, false, c)
		if o == nil || !o.solved() {
			continue
		}
		fix := fixed(o, c)
		if slices.ContainsFunc(fix.Then.Updates, func(u fixes.Update) bool { return u.From.Bundle.Name == installed }) {
			return &fix
		}
	}
	return nil
}

// inChannel changes the channel of a request.
func inChannel(p *model.Part, r *request.Request, channel string) change {
	var step fixes.Step
	var apply func(in *model.Inputs)
	switch wish := r.Object.(type) {
	case request.Subscription:
		step.Object, step.Field = objectOf(fixes.ObjectSubscription, p.Namespace, r.Key().Name), fixes.FieldChannel
		step.From, step.To = value(wish.Object.Channel), channel
		apply = func(in *model.Inputs) {
			editSubscription(in, p.Namespace, r.Key().Name, func(s *cluster.Subscription) { s.Channel = channel })
		}
	case *request.Extension:
		step.Object, step.Field = objectOf(fixes.ObjectExtension, "", r.Key().Name), fixes.FieldExtensionChannels
		step.From, step.To = values(wish.Object.Channels), []string{channel}
		apply = func(in *model.Inputs) {
			editExtension(in, r.Key().Name, func(e *cluster.ClusterExtension) { e.Channels = []string{channel} })
		}
	}
	return change{steps: []fixes.Step{step}, size: sizeChannel, apply: apply}
}
