package result

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Caution is a reason against a Fix.
type Caution struct {
	Kind CautionKind
	// Names are the operators, versions, channels, custom resources, catalogs or other
	// objects that it is about.
	Names []string
	// Said is a further argument, by kind: why an operator refuses updates or failed, the OperatorGroup
	// that it then belongs to, or the head that it does not reach.
	Said string
}

// CautionKind is a word such as "held" or "forward".
type CautionKind string

// grave are the kinds of grave cautions, see [Caution.Grave].
var grave = map[CautionKind]bool{
	words.CautionHeld: true, words.CautionForward: true, words.CautionNarrowed: true, words.CautionFails: true, words.CautionUncertain: true, words.CautionDowngraded: true,
	words.CautionReinstall: true, words.CautionBelowHead: true, words.CautionKept: true, words.CautionUnprovided: true, words.CautionDeletes: true,
}

// Text returns the caution as a clause. It begins with "warning: " if it is grave.
func (c *Caution) Text() string {
	if c.Grave() {
		return "warning: " + c.Clause()
	}
	return c.Clause()
}

// String returns the text of the caution.
func (c Caution) String() string { return c.Text() }

// Grave reports whether the caution warns of a loss, or of what stands still.
func (c *Caution) Grave() bool { return grave[c.Kind] }

// Clause returns what the caution says.
func (c *Caution) Clause() string {
	return words.Unbroken(words.Cautions.Say(string(c.Kind), len(c.Names) != 1, c.value))
}

// value returns an argument of the words.
func (c *Caution) value(name string) string {
	switch {
	case name == "names":
		return words.Listed(c.Names, words.MaxNamed)
	case c.Kind == words.CautionHeld:
		return words.OneLine(c.Said) // by a stranger
	}
	return c.Said
}

// String returns the text of the fix, with all namespaces.
func (f Fix) String() string { return f.Text("") }

// Text returns what to do, what happens then, and the cautions. It does not name the
// namespace home.
func (f *Fix) Text(home string) string {
	text, warnings := f.Parts(home)
	return strings.Join(append([]string{text}, warnings...), "; warning: ")
}

// Parts is Text in parts: each warning, with what is said after it, by itself.
func (f *Fix) Parts(home string) (text string, warnings []string) {
	parts := []string{f.Do(home) + ": " + f.Outcome(home)}
	for i := range f.Cautions {
		if c := &f.Cautions[i]; c.Grave() {
			parts = append(parts, c.Clause())
		} else {
			parts[len(parts)-1] += "; " + c.Clause()
		}
	}
	parts = words.Mapped(parts, words.Unbroken)
	return parts[0], parts[1:]
}

// Outcome returns what the fix leads to, and the updates that follow. It does not name the
// namespace home.
func (f *Fix) Outcome(home string) string {
	text := f.Then.Text()
	switch brings := len(f.Then.Installs)+len(f.Then.Updates) > 0; {
	case f.Approval && f.only(words.FieldApproved):
		text += words.WaitsAgain
	case f.Approval && brings:
		text += words.OnceApproved
	}
	if n := len(f.Waiting); n > 0 {
		var gone []string
		for _, s := range f.Steps() {
			if s.Object.Kind == words.ObjectCSV && s.Field == "" && s.Create == nil {
				gone = append(gone, s.Object.Name)
			}
		}
		text = words.Until(named(f.Waiting, home), n, gone, text)
	}
	if len(f.Further) > 0 {
		text += words.Follow(f.Further, f.Changes[0].Object.Kind == words.ObjectExtension, f.Approval)
	}
	return text
}

// named returns kind and names of requests of one kind.
func named(keys []cluster.RequestKey, home string) string {
	names := words.Mapped(keys, func(k cluster.RequestKey) string { return k.Name + words.InOther(k.Namespace, home) })
	return string(keys[0].Kind) + words.Plural(len(keys)) + " " + words.Listed(names, words.MaxNamed)
}

// Do returns what to do. It does not name the namespace home.
func (f *Fix) Do(home string) string { return textOf(f.Changes, home) }

// textOf returns what to do for changes. It does not name the namespace home.
func textOf(changes []Change, home string) string {
	return strings.Join(words.Mapped(changes, func(c Change) string { return c.Text(home) }), ", and ")
}

// String returns the text of the change, with all namespaces.
func (c Change) String() string { return c.Text("") }

// Text returns what to do with the object of the change and with others. It does not name the
// namespace home.
func (c *Change) Text(home string) string {
	deleted := map[Object]bool{}
	var rest []Step
	created := -1
	for i, s := range c.Steps {
		switch {
		case s.Create != nil && s.Object.Kind == c.Object.Kind:
			created = i
		case s.Field == "" && s.Create == nil:
			deleted[s.Object] = true
			fallthrough
		default:
			rest = append(rest, s)
		}
	}
	switch {
	case created >= 0 && (c.Object.Kind == words.ObjectOperatorGroup || c.Steps[created].grants() != ""):
		return c.createLine(&c.Steps[created], home)
	case created >= 0:
		return c.createText(home, &c.Steps[created], deleted)
	}
	return c.stepsText(rest, home)
}

// stepsText returns what to do in steps of the change, none of which creates it again.
func (c *Change) stepsText(steps []Step, home string) string {
	if len(steps) == 0 {
		return "change nothing of " + c.Object.Text(home)
	}
	text := steps[0].text(home)
	if c.Object.Kind == words.ObjectCSV && steps[0].Field == "" {
		text += words.Unmanaged
	}
	for i := 1; i < len(steps); i++ {
		switch s := &steps[i]; {
		case s.Field == "" && steps[i-1].Field == "":
			text += " and " + s.Object.Text(home)
		case s.Object == steps[i-1].Object && s.To != nil && steps[i-1].To != nil:
			text += " and " + s.Field + " to " + shown(s.To)
		default:
			text += " and " + s.text(home)
		}
	}
	return text
}

// Lines returns what to do, a line for each object in the order in which to do it, each with
// what to wait for before the next. They do not name the namespace home.
func (c *Change) Lines(home string) (lines []string) {
	for i, n := 0, 0; i < len(c.Steps); i = n {
		s := &c.Steps[i]
		for n = i + 1; s.Field != "" && n < len(c.Steps) && c.Steps[n].Field != "" && c.Steps[n].Object == s.Object; n++ {
		}
		var line string
		switch {
		case s.Create != nil:
			line = c.createLine(s, home)
		case s.Field == "" && n < len(c.Steps) && c.Steps[n].Create != nil && (c.Steps[n].Object == s.Object || s.Object.Kind == words.ObjectCSV):
			line = words.DeletedFirst(s.Object.Text(home))
		default:
			line = c.stepsText(c.Steps[i:n], home)
		}
		lines = append(lines, words.Unbroken(line))
	}
	return lines
}

// Save returns how to keep what the fix deletes, empty if it deletes nothing but requests that have
// nothing installed.
func (f *Fix) Save() string {
	var parts, command []string
	var gone []Object
	plain := true
	for _, s := range f.Steps() {
		if s.Field == "" && s.Create == nil {
			gone = append(gone, s.Object)
			plain = plain && words.IsPlain(s.Object.Name) && s.Object.Namespace == gone[0].Namespace && (s.Object.Namespace == "" || words.IsPlain(s.Object.Namespace))
			parts = append(parts, s.Object.Resource()+"/"+s.Object.Name)
		}
	}
	alone := !slices.ContainsFunc(gone, func(o Object) bool { return o.Kind != words.ObjectSubscription })
	if len(gone) == 0 || alone && f.Class <= ClassGivesUp && !f.Later() {
		return ""
	}
	if !plain || len(gone) > words.MaxNamed {
		return words.SaveByHand
	}
	if namespace := gone[0].Namespace; namespace != "" {
		command = []string{"--namespace", namespace}
	}
	command = slices.Concat(command, parts, []string{"--output", "yaml", ">", "saved-" + gone[0].Name + ".yaml"})
	if said := words.SaveBy(strings.Join(command, " ")); len(said) <= maxSave {
		return said
	}
	return words.SaveByHand
}

// Brief returns what to do in a few words. It does not name the namespace home.
func (c *Change) Brief(home string) string {
	anew := c.Object.Kind != words.ObjectOperatorGroup && !c.grants() && slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Create != nil && s.Object == c.Object })
	if !anew {
		return words.Unbroken(c.Text(home))
	}
	return words.Unbroken(words.InstalledAnew(c.Object.Text(home)) + withFields(words.Mapped(c.With, Step.Setting)))
}

// createLine returns that an object is created, as it was but for some fields if it was there.
func (c *Change) createLine(s *Step, home string) string {
	line := words.Created(s.Object.Text(home))
	switch {
	case len(s.Create.OperatorGroups) == 1:
		line += " for " + targetsText(s.Create.OperatorGroups[0].TargetNamespaces)
	case s.grants() != "":
		line += s.grants()
	case s.Object.Kind != c.Object.Kind:
	case s.Object != c.Object:
		line += words.AsItWas // but for the namespace
	default:
		line = c.created(s, home, c.atOnce())
	}
	return line
}

// grants says what a role that the step creates permits, or to whom a binding gives it; it is empty for
// another step.
func (s *Step) grants() string {
	if s.Create == nil {
		return ""
	}
	for _, role := range slices.Concat(s.Create.Roles, s.Create.ClusterRoles) {
		return words.Permitting(words.Texts(role.Rules))
	}
	if len(s.Create.ServiceAccounts) > 0 {
		return words.InstallsThere
	}
	for _, binding := range slices.Concat(s.Create.RoleBindings, s.Create.ClusterRoleBindings) {
		return words.GivenTo(words.Mapped(binding.Subjects, func(s cluster.Subject) string { return s.Kind + " " + s.Name }))
	}
	return ""
}

// Grants reports whether the fix only grants rights.
func (f *Fix) Grants() bool { return len(f.Changes) > 0 && f.Changes[0].grants() }

func (c *Change) grants() bool { return len(c.Steps) > 0 && c.Steps[0].grants() != "" }

// atOnce reports whether the object is to be created again at once: else OLM may install the package for
// another one first. What is created after a wait is not.
func (c *Change) atOnce() bool { return c.Object.Kind == words.ObjectSubscription && len(c.Steps) > 1 }

// with returns the fields in which the object differs that a step creates again.
func (c *Change) with(s *Step) string {
	fields := words.Mapped(c.With, Step.Setting)
	if len(s.Create.ClusterExtensions) == 1 {
		fields = slices.Insert(fields, 0, "spec.source.catalog.packageName "+s.Create.ClusterExtensions[0].Package)
	}
	return withFields(fields)
}

func withFields(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return " with " + strings.Join(fields, " and ")
}

// targetsText names the namespaces that an OperatorGroup targets, all if there are none.
func targetsText(namespaces []string) string {
	if len(namespaces) == 0 {
		return "all namespaces"
	}
	return "namespace" + words.Plural(len(namespaces)) + " " + words.Listed(namespaces, words.MaxNamed)
}

// createText returns that a request is created again, or in another namespace.
func (c *Change) createText(home string, made *Step, deleted map[Object]bool) string {
	if made.Object != c.Object {
		text := words.Moved(c.Object.Text(home), made.Object.Namespace)
		if slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Object.Kind == words.ObjectNamespace }) {
			targets := "itself"
			for _, s := range c.Steps {
				if s.Object.Kind == words.ObjectOperatorGroup && s.Create != nil && len(s.Create.OperatorGroups[0].TargetNamespaces) == 0 {
					targets = "all namespaces"
				}
			}
			text += words.WithGroup(targets)
		}
		return text
	}
	text := words.Deleted(c.Object.Text(home))
	for _, s := range c.Steps {
		if s.Object.Kind == words.ObjectCSV && deleted[s.Object] {
			text += " and " + s.Object.Text(home)
		}
	}
	if !deleted[c.Object] { // a step before took it away
		return c.created(made, home, false)
	}
	return text + ", and " + words.CreatedAgain(c.Object.Kind+" "+c.Object.Name, c.atOnce()) + c.with(made)
}

// created returns that a request is created: again, unless it is only asked about.
func (c *Change) created(made *Step, home string, atOnce bool) string {
	if subs := made.Create.Subscriptions; len(subs) == 1 && subs[0].Asked() {
		return words.Created(made.Object.Text(home)) + c.with(made)
	}
	return words.CreatedAgain(made.Object.Text(home), atOnce) + c.with(made)
}

// Text returns kind, name and namespace. It does not name the namespace home.
func (o Object) Text(home string) string {
	return o.Kind + " " + o.Name + words.InOther(o.Namespace, home)
}

// String returns what to do.
func (s Step) String() string { return s.text("") }

// Setting returns the field and the value that it is set to.
func (s Step) Setting() string {
	if s.To == nil {
		return "no " + s.Field
	}
	return s.Field + " " + shown(s.To)
}

func (s *Step) text(home string) string {
	object, value := s.Object.Text(home), shown(s.To)
	switch {
	case s.Wait != nil:
		return words.Awaited(s.Field, object, value, s.Wait.Updates, s.Wait.Approval)
	case s.Create != nil:
		return words.Created(object)
	case s.Field == "":
		return words.Deleted(object)
	case s.Field == words.FieldExcludeGlobal:
		return words.AnnotationRemoved(words.AnnotationExcludeGlobal, object)
	case s.Field == words.FieldOverrides:
		return words.Overridden(object, value)
	case s.Field == words.FieldExcludedCatalogs && s.To == nil:
		return words.CatalogUsed(s.Object.catalog())
	case s.Field == words.FieldExcludedCatalogs:
		return words.CatalogLeftOff(s.Object.catalog())
	case s.Field == words.FieldLenientHealth:
		return words.HealthLenient
	case s.Field == words.FieldPins:
		return words.Unpinned(s.Object.Name + words.InOther(s.Object.Namespace, home))
	case s.Field == words.FieldSystemConstraint:
		return words.Allowed(s.Object.Name + words.InOther(s.Object.Namespace, home))
	case s.Field == words.FieldStored:
		return words.StoredIn(s.Object.Name, object, value)
	case s.To == nil:
		return words.FieldRemoved(s.Field, object)
	}
	return words.FieldSet(s.Field, object, value)
}

// catalog returns the key of the catalog that the object declares.
func (o Object) catalog() string { return catalog.Key{Namespace: o.Namespace, Name: o.Name}.String() }

// shown returns the value of a field for people.
func shown(value any) string {
	var texts []string
	switch value := value.(type) {
	case string:
		if strings.ContainsAny(value, "<>=!~|*&, ") {
			return strconv.Quote(value)
		}
		return value
	case int:
		return strconv.Itoa(value)
	case bool:
		return strconv.FormatBool(value)
	case []string:
		return "[" + strings.Join(value, ", ") + "]"
	case cluster.Selector:
		for _, label := range slices.Sorted(maps.Keys(value.MatchLabels)) {
			texts = append(texts, label+": "+value.MatchLabels[label])
		}
		return "{matchLabels: {" + strings.Join(texts, ", ") + "}}"
	case []cluster.Condition:
		for _, c := range value {
			texts = append(texts, c.Type+" "+c.Status)
		}
	}
	return strings.Join(texts, ", ")
}

// Missing reports whether no catalog given has what is needed.
func (o *Other) Missing() bool { return o.Kind == OtherCatalog }

// Updates reports whether an entry is needed that updates what is installed.
func (o *Other) Updates() bool { return o.Kind == OtherUpdate }

// String returns the text of the change, with all namespaces.
func (o Other) String() string { return o.Text("") }

// Text returns what others would have to change. It does not name the namespace home.
func (o *Other) Text(home string) string {
	text, after := "", words.OnceYou
	switch o.Kind {
	case OtherCatalog:
		text, after = words.NoCatalogHas(o.Constraints), words.NeededOnceYou
	case OtherPolicy:
		text = words.Exception(o.Bundle.Name, o.Constraints)
	case OtherUpdate:
		channel := ""
		if len(o.Constraints) > 0 {
			channel = o.Constraints[0]
		}
		text = words.Entry(channel, o.Bundle.Name, o.Accepts, o.Bundle.Package)
	case OtherFaulty:
		text = words.Repaired(o.Constraints, o.Bundle.Package)
	case OtherAuthor:
		text = words.OtherRule(o.Bundle.Package, o.Bundle.Name)
	case OtherPlatform:
		text = words.RunsOn(o.Bundle.Package, o.Accepts, o.Bundle.Name)
	default:
		text = words.Accepts(o.Bundle.Package, o.Accepts, o.Bundle.Name)
	}
	if len(o.After) > 0 {
		text += after(textOf(o.After, home))
	}
	return words.Unbroken(text)
}

// Overrides reports whether the fix only overrides what operators state. What they ask for comes
// first.
func (f *Fix) Overrides() bool { return f.only(words.FieldOverrides) }

// only reports whether the fix sets no other field.
func (f *Fix) only(field string) bool {
	return len(f.Steps()) > 0 && !slices.ContainsFunc(f.Steps(), func(s Step) bool { return s.Field != field })
}

// FailsForward reports whether the fix only has OLM move on from what failed. Repairing that
// comes first.
func (f *Fix) FailsForward() bool { return f.only(words.FieldUpgradeStrategy) }
