package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resolvent/resolvent/resolver"
)

// Open reads the manifests and catalogs that the flags name.
func Open(ctx context.Context, input *Flags, choice *ChoiceFlags, std Streams) (p resolver.Problem, err error) {
	if err := input.ChooseNamespaces(choice, std.Live); err != nil {
		return p, err
	}
	p.Options = choice.Options
	if p.Options.Policies, err = choice.Policies.Read(ctx); err != nil {
		return p, err
	}
	if p.Cluster, err = ReadCluster(ctx, input, std); err != nil {
		return p, err
	}
	if err := CheckRead(choice.Namespaces, p.Cluster); err != nil {
		return p, err
	}
	p.Cluster = choice.Policies.Dated(p.Cluster)
	if err := input.AddDeclared(ctx, choice, p.Cluster.Objects(), std); err != nil {
		return p, err
	}
	read, err := ReadCatalogs(ctx, input, choice.Options.LenientHealth, std)
	if err != nil {
		return p, err
	}
	p.Catalogs = input.AsDeclared(read, p.Cluster)
	HintAtInstall(std.Err, &p)
	return p, cmp.Or(CheckExcluded(choice.Options.ExcludeCatalogs, p.Catalogs, p.Cluster), CheckPins(choice.Options.Pins, p.Catalogs, p.Cluster))
}

// CheckGiven refuses what -f names if it is not there, and that no catalog is given: before notes on
// what manifests do not have.
func (f *Flags) CheckGiven(std Streams) error {
	for _, name := range f.Manifests {
		if name == stdinName || name == LivePrefix && std.Live != nil {
			continue
		}
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-f %w; pass a file or a folder of manifests, or - for standard input, as in 'curl URL | %s ... -f -'", FileError(err), std.Program)
		}
	}
	if len(f.Catalogs) == 0 && std.Live == nil {
		return errNoCatalogs
	}
	return nil
}

// Below returns a name of a file below a folder, unless it is absolute.
func Below(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// CatalogsBelow has catalogs that are files be below a folder. Standard input is refused: it
// is for the command line.
func (f *Flags) CatalogsBelow(folder string) error {
	for i := range f.Catalogs {
		c := &f.Catalogs[i]
		if c.from == stdinName {
			return fmt.Errorf("catalogs: %s: a policy cannot read standard input; name a file", c.text)
		}
		if name := Below(folder, c.from); !strings.Contains(c.from, ":") {
			c.from = name
		} else if _, err := os.Stat(name); err == nil {
			c.from = name
		}
	}
	return nil
}
