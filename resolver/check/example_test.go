package check_test

import (
	"context"
	"fmt"
	"os"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// A catalog with bundles that nothing can install.
func ExampleRun() {
	ctx := context.Background()
	checked, err := cache.FS(os.DirFS("../../testdata/catalogs/coast/kraken"), cache.Options{}).LoadChecked(ctx)
	if err != nil {
		panic(err)
	}
	report, err := check.Run(ctx, []check.Catalog{{Key: catalog.Key{Name: "coast"}, Checked: checked}}, check.Options{})
	if err != nil {
		panic(err)
	}
	for _, f := range report.Findings {
		fmt.Printf("%s: %s\n", f.Severity, f.Message)
	}
	// Output:
	// error: 2 bundles of kraken from 1.0.0 to 1.1.0 cannot be installed, with the head of channel deep: no given catalog provides the API Galleon (ships.example.com/v1)
	// error: kraken 1.1.0 cannot be installed, with the head of channel deep: no given catalog has package whirlpool
}

// What becomes of the users of a catalog.
func ExampleDiff() {
	ctx := context.Background()
	read := func(text string) *catalog.Snapshot {
		s, err := cache.Parse(ctx, []byte(text), cache.Options{})
		if err != nil {
			panic(err)
		}
		return s
	}
	before := read(pkg("p") + channel("p", "c", "{name: p.v1}") + bundle("p", 1))
	after := read(pkg("p") + channel("p", "c", "{name: p.v1}, {name: p.v2, replaces: p.v1}") + bundle("p", 1) + bundle("p", 2, needs("q")))
	difference, err := check.Diff(ctx, catalog.Key{Namespace: "olm", Name: "a"}, before, after, check.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range difference.Changes {
		fmt.Printf("%s: %s\n", c.Severity, c.Message)
	}
	// Output:
	// error: p 2.0.0 cannot be installed, with the head of channel c: no given catalog has package q
	// note: new: p.v2
	// note: the head is p.v2, before: p.v1; it requires package q in range >=1.0.0
}
