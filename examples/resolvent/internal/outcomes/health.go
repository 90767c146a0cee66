package outcomes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// HealthFixes says what helps where catalogs are unhealthy; nothing for other errors.
func HealthFixes(err error) []string {
	unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err)
	if !ok {
		return nil
	}
	var list, leaveOut []string
	for _, c := range unhealthy.Catalogs {
		if errors.Is(c.Err, cluster.ErrNoContent) {
			list = append(list, fmt.Sprintf("give the content of catalog %s: --catalog %[1]s=FROM", c.Key))
		} else {
			list = append(list, fmt.Sprintf("repair catalog %s", c.Key))
		}
		leaveOut = append(leaveOut, "--exclude-catalog "+c.Key.String())
	}
	list = append(list, "answer without: "+strings.Join(leaveOut, " "))
	if unhealthy.Scope.Kind == cluster.KindSubscription {
		list = append(list, "fail only the requests that could be served from there: --lenient-health")
	}
	return list
}
