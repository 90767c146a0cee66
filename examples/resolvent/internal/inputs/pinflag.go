package inputs

import (
	"errors"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/policy"
)

// parsePinFlag reads [NAMESPACE/]PACKAGE[=BUNDLE or VERSION].
func parsePinFlag(s string) (policy.Pin, error) {
	var pin policy.Pin
	pkg, to, stated := strings.Cut(s, "=")
	if namespace, name, found := strings.Cut(pkg, "/"); found {
		pin.Namespace, pkg = namespace, name
		if namespace == "" {
			return pin, errors.New("the namespace is empty")
		}
	}
	pin.Package = pkg
	if pkg == "" || stated && to == "" {
		return pin, errors.New("want PACKAGE, PACKAGE=BUNDLE or PACKAGE=VERSION")
	}
	if _, err := semver.Parse(to); err == nil {
		pin.Version = to
	} else {
		pin.Bundle = to
	}
	return pin, nil
}
