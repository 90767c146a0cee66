package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// PolicyFlags choose policies, and the day for which they are judged.
type PolicyFlags struct {
	files []string
	date  string
}

func (f *PolicyFlags) Register(set *pflag.FlagSet) {
	set.Func("policy", "obey the policy in `FILE`: rules about what may be installed and changed; repeatable", func(s string) error {
		if s == "" {
			return Want("a file")
		}
		if !slices.Contains(f.files, s) {
			f.files = append(f.files, s)
		}
		return nil
	})
	Date(set, &f.date)
}

func (f *PolicyFlags) Read(ctx context.Context) ([]*policy.Policy, error) {
	var list []*policy.Policy
	for _, name := range f.files {
		p, err := ReadPolicy(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("--policy %w", err)
		}
		if i := slices.IndexFunc(list, func(other *policy.Policy) bool { return other.Name == p.Name }); i >= 0 {
			return nil, fmt.Errorf("--policy %s: there already is a policy named %s; each needs its own metadata.name", name, p.Name)
		}
		list = append(list, p)
	}
	return list, nil
}

// Day is the day that was given, empty if none.
func (f *PolicyFlags) Day() string { return f.date }

// maxPolicy bounds what is read of a file: a policy that is larger is refused.
const maxPolicy = 2 << 20

func ReadPolicy(ctx context.Context, name string) (*policy.Policy, error) {
	file, err := OpenFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPolicy))
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case err != nil:
		return nil, errors.Join(fmt.Errorf("%s cannot be read", name), FileError(err))
	}
	p, err := policy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// Dated returns the cluster on the day of the flags, if they need one: else answers would
// differ from day to day without need.
func (f *PolicyFlags) Dated(known *cluster.Index) *cluster.Index {
	if f.date == "" && len(f.files) == 0 {
		return known
	}
	return f.On(known)
}

// On returns the cluster on the day of the flags, by default today.
func (f *PolicyFlags) On(known *cluster.Index) *cluster.Index {
	return known.WithObjects(func(o *cluster.Objects) { o.Date = Day(f.date, o.Date) })
}
