package words

import "fmt"

// Of steps of a fix.

func Created(object string) string { return "create " + object }
func Deleted(object string) string { return "delete " + object }
func DeletedFirst(object string) string {
	return Deleted(object) + ", and wait until it is gone"
}
func FieldSet(field, object, to string) string { return "set " + field + " of " + object + " to " + to }
func FieldRemoved(field, object string) string { return "remove " + field + " from " + object }
func AnnotationRemoved(name, object string) string {
	return FieldRemoved("the annotation "+name, object)
}
func Overridden(object, to string) string {
	return "override " + object + " (spec.overrides: " + to + ")"
}
func StoredIn(definition, object, to string) string {
	return "rewrite all resources of " + object + " (" + SaveResources(definition) + ", then " + StoreAnew(definition) + "); once that has ended without an error, set its " + FieldStored + " to " + to
}
func CatalogUsed(key string) string    { return "do not exclude catalog " + key }
func CatalogLeftOff(key string) string { return "exclude catalog " + key }
func Unpinned(pkg string) string       { return "do not pin package " + pkg }
func Allowed(bundle string) string     { return "let the policy allow " + bundle }

// HealthLenient is what the option lenientHealth does.
var HealthLenient = "fail only the requests that unhealthy catalogs could serve"

// Of changes, which are steps done at once.

func Moved(object, namespace string) string { return "move " + object + " to namespace " + namespace }
func WithGroup(targets string) string {
	return ", which is created with an OperatorGroup that targets " + targets
}
func InstalledAnew(object string) string { return "install " + object + " anew" }
func CreatedAgain(object string, atOnce bool) string {
	text := Created(object) + " again"
	if atOnce {
		text = "at once " + text
	}
	return text
}

func Permitting(rights []string) string { return ", which permits " + Listed(rights, MaxNamed) }
func GivenTo(subjects []string) string  { return ", which gives that to " + Listed(subjects, MaxNamed) }

// The ends of sentences about changes.
var (
	InstallsThere = ", with which OLM installs there"

	Unmanaged = ", which no Subscription manages"
	AsItWas   = ", as it was"
)

// SaveByHand is how to keep what is deleted where no command can name it.
var SaveByHand = "save what is deleted (kubectl get with --output yaml)"

// SaveBy is how to keep what is deleted, by a command.
func SaveBy(command string) string { return "save what is deleted: kubectl get " + command }

// Of what a fix leads to.

var (
	// NothingChanges and NothingInstalled are all that a resolution does.
	NothingChanges   = "what is installed stays as it is"
	NothingInstalled = "installs nothing"
	// WaitsAgain and OnceApproved end a sentence about what a fix leads to.
	WaitsAgain   = "; the next update then waits for approval again"
	OnceApproved = ", once its InstallPlan is approved"
)

// Until says what a fix leads to once n requests are solved, and what of it is gone at once.
func Until(requests string, n int, gone []string, then string) string {
	text := "changes nothing"
	if len(gone) > 0 {
		text = "removes " + Listed(gone, MaxNamed) + " at once, and installs nothing"
	}
	return fmt.Sprintf("%s until %s %s solved or deleted, then %s", text, requests, Verb(n, "is", "are"), then)
}

// Follow says which updates follow, whether OLM makes them by itself, and whether each waits.
func Follow(bundles []string, byItself, approval bool) string {
	n := len(bundles)
	text := "; then " + Count(n, "more step") + Verb(n, " follows", " follow")
	if byItself {
		text += Verb(n, " by itself", " by themselves")
	}
	if approval {
		text += ", " + Verb(n, "which", "each of which") + " waits for approval again"
	}
	if text += ", next " + bundles[0]; n > 1 {
		text += ", up to " + bundles[n-1]
	}
	return text
}

// Of what only others can change.

func NoCatalogHas(what []string) string { return "no given catalog has " + Listed(what, MaxNamed) }
func Exception(bundle string, rules []string) string {
	if bundle == "" {
		return "an exception from " + Listed(rules, MaxNamed)
	}
	return "an exception for " + bundle + " in " + Listed(rules, MaxNamed)
}
func Entry(channel, bundle string, versions []string, pkg string) string {
	text := "an entry"
	if channel != "" {
		text += " in channel " + channel
	}
	return text + " that replaces or skips " + bundle + ", or has a skipRange that covers " + Listed(versions, MaxNamed) + ": ask the publisher of package " + pkg
}
func Repaired(channels []string, pkg string) string {
	if len(channels) == 0 {
		return "a bundle of package " + pkg + " without a fault: ask the publisher"
	}
	return "channel" + Plural(len(channels)) + " " + Listed(channels, MaxNamed) + " of package " + pkg + " with an order: ask the publisher"
}
func RunsOn(pkg string, platforms []string, bundle string) string {
	return "a version of " + pkg + " that runs on this version of " + Listed(platforms, MaxNamed) + "; " + bundle + " does not"
}
func OtherRule(pkg, bundle string) string {
	return "a version of " + pkg + " with a rule that some bundle satisfies: ask its publisher to correct the rule of " + bundle
}
func Accepts(pkg string, versions []string, bundle string) string {
	return "a version of " + pkg + " that accepts " + Listed(versions, len(versions)) + "; " + bundle + " does not"
}
func OnceYou(do string) string       { return ", once you " + do }
func NeededOnceYou(do string) string { return ", which is needed once you " + do }

// Awaited says that one waits until a field of an object has a value, after so many updates that
// OLM makes by itself, or as they are approved.
func Awaited(field, object, value string, updates int, approval bool) string {
	text := "wait until " + field + " of " + object + " is " + value + ": OLM gets there in " + Count(updates, "update")
	if approval {
		return text + Verb(updates, ", which waits for approval", ", each of which waits for approval")
	}
	return text
}
