package overview

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
)

// OptionTexts says what options of the program would do about a failure.
func OptionTexts(help *fixes.Help, err error) []string {
	var list []string
	if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok {
		for _, c := range unhealthy.Catalogs {
			if c.NotGiven() {
				list = append(list, giveText(c.Key, unhealthy.Scope.Kind))
			}
		}
	}
	for i, text := range fixes.Texts(help.Options, help.Home) {
		var flags []string
		for _, s := range help.Options[i].Steps() {
			switch {
			case s.Field == fixes.FieldLenientHealth:
				flags = append(flags, "--lenient-health")
			case s.Field == fixes.FieldExcludedCatalogs && s.To != nil:
				flags = append(flags, "--exclude-catalog "+terminal.Word(strings.TrimPrefix(s.Object.Namespace+"/"+s.Object.Name, "/")))
			}
		}
		if len(flags) == len(help.Options[i].Steps()) {
			text = "with " + strings.Join(flags, " ") + " the answer is: " + help.Options[i].Then.Text()
		}
		list = append(list, text)
	}
	return list
}

// giveText says how to give the content of a catalog that a request of a kind takes.
func giveText(k catalog.Key, kind cluster.RequestKind) string {
	name := k.String()
	if k.Namespace == "" && kind == cluster.KindSubscription {
		name = "NAMESPACE/" + name
	}
	return fmt.Sprintf("give the content of catalog %s: --catalog %s=FROM", k, terminal.Word(name))
}
