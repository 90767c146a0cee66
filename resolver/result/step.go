package result

import "github.com/resolvent/resolvent/cache/catalog"

// Action is what an answer does with a bundle: install, keep or replace.
type Action string

const install, keep, replace Action = "install", "keep", "replace"

// Step is what an answer does with a bundle. The zero Step is nothing.
type Step struct {
	Action Action
	// Bundle has a catalog only for an install, and only a name for a replaced bundle.
	Bundle  catalog.BundleKey
	Channel string // of an install
}

// String returns action and name, and for an install its catalog and channel.
func (s Step) String() string {
	if s.Action != install {
		return string(s.Action) + " " + s.Bundle.Name
	}
	return string(s.Action) + " " + s.what()
}

func (s Step) what() string {
	text := s.Bundle.Name + " from " + s.Bundle.Catalog.String()
	if s.Channel != "" {
		text += ", channel " + s.Channel
	}
	return text
}

// Steps returns what an answer does: installs, then kept bundles, then replaced ones. Answers
// with equal steps do the same, unless they leave out requests.
func (r *Resolution) Steps() []Step {
	var steps []Step
	for i := range r.Installs {
		steps = append(steps, Step{install, r.Installs[i].Bundle, r.Installs[i].Channel})
	}
	for i := range r.Kept {
		steps = append(steps, Step{Action: keep, Bundle: catalog.BundleKey{Package: r.Kept[i].Bundle.Package, Name: r.Kept[i].Bundle.Name}})
	}
	for _, name := range r.Replaced {
		steps = append(steps, Step{Action: replace, Bundle: catalog.BundleKey{Name: name}})
	}
	return steps
}
