package result

import "github.com/resolvent/resolvent/cache/catalog"

// Action is what an answer does with a bundle.
type Action string

// The actions. A replaced bundle is one that an install replaces.
const (
	ActionInstall Action = "install"
	ActionKeep    Action = "keep"
	ActionReplace Action = "replace"
)

// Operation is what an answer does with a bundle. The zero Operation is nothing.
type Operation struct {
	Action Action
	// Bundle has a catalog only for an install, and only a name for a replaced bundle.
	Bundle  catalog.BundleKey
	Channel string // of an install
}

// String returns action and name, and for an install its catalog and channel.
func (o Operation) String() string {
	if o.Action != ActionInstall {
		return string(o.Action) + " " + o.Bundle.Name
	}
	return string(o.Action) + " " + o.what()
}

func (o Operation) what() string {
	text := o.Bundle.Name + " from " + o.Bundle.Catalog.String()
	if o.Channel != "" {
		text += ", channel " + o.Channel
	}
	return text
}

// Operations returns what an answer does: installs, then kept bundles, then replaced ones. Answers
// with equal operations do the same, unless they leave out requests.
func (r *Resolution) Operations() []Operation {
	var operations []Operation
	for i := range r.Installs {
		operations = append(operations, Operation{ActionInstall, r.Installs[i].Bundle, r.Installs[i].Channel})
	}
	for i := range r.Kept {
		operations = append(operations, Operation{Action: ActionKeep, Bundle: catalog.BundleKey{Package: r.Kept[i].Bundle.Package, Name: r.Kept[i].Bundle.Name}})
	}
	for _, name := range r.Replaced {
		operations = append(operations, Operation{Action: ActionReplace, Bundle: catalog.BundleKey{Name: name}})
	}
	return operations
}
