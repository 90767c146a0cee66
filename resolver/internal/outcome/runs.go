package outcome

import (
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// Runs returns what goes on running if nothing is done, and up to which version of the cluster: what
// requests have installed, and whatever runs and a fix without a risk would change. It returns nothing
// if a part of that does not work or does not support the cluster's version any more, or if some such fix
// changes nothing that runs.
func Runs(list []result.Fix, known *cluster.Index, requests ...cluster.RequestKey) (names []string, until string) {
	first := result.ClassAbandons
	if len(list) > 0 {
		first = list[0].Class
	}
	if first == result.ClassGivesUp {
		return nil, ""
	}
	for i := range list {
		if first > result.ClassWidens || list[i].Class > result.ClassWidens {
			continue
		}
		touched := touchedBy(&list[i], known)
		if len(touched) == 0 {
			return nil, ""
		}
		requests = append(requests, touched...)
	}
	var least *properties.MajorMinor
	for _, key := range requests {
		name, works := route.InstalledFor(known, key), false
		if e := known.Extension(key.Extension()); e != nil {
			works = len(conditions(known, key)) == 0
		} else if v := inventory.CSV(known.In(key.Namespace), name); v != nil {
			works, least = v.Phase == world.PhaseSucceeded, lower(least, inventory.MaxOpenShift(known.In(key.Namespace), v))
		}
		switch {
		case name == "":
		case !works:
			return nil, ""
		default:
			names = append(names, name)
		}
	}
	if least != nil {
		if now, ok := properties.OpenShiftOf(known.ClusterScoped().OpenShiftVersion); ok && least.Compare(now) < 0 {
			return nil, ""
		}
		until = "OpenShift " + least.String()
	}
	return words.Distinct(names), until
}

// lower returns the lower one of two versions that may be unknown.
func lower(a, b *properties.MajorMinor) *properties.MajorMinor {
	if a == nil || b != nil && b.Compare(*a) < 0 {
		return b
	}
	return a
}

// touchedBy returns the requests whose objects a fix changes, or those of what they run, and that
// have something installed.
func touchedBy(f *result.Fix, known *cluster.Index) (list []cluster.RequestKey) {
	for _, step := range f.Steps() {
		o := step.Object
		if step.Wait != nil {
			continue
		}
		for _, s := range known.In(o.Namespace).Subscriptions {
			runs := route.InstalledFor(known, s.Key())
			of := map[string]string{words.ObjectSubscription: s.Name, words.ObjectCSV: runs, words.ObjectCondition: runs, words.ObjectOperatorGroup: o.Name}
			if runs != "" && of[o.Kind] == o.Name {
				list = append(list, s.Key())
			}
		}
		if key := (cluster.RequestKey{Kind: cluster.KindExtension, Name: o.Name}); o.Kind == words.ObjectExtension && route.InstalledFor(known, key) != "" {
			list = append(list, key)
		}
	}
	return list
}
