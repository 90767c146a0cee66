package inputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// Where catalogs come from is said again, but no password.
func TestGiven(t *testing.T) {
	var f Flags
	for _, text := range []string{"olm/a=dir/a,priority=3", "b=https://host/b", "c=https://me:secret@host/c", "d=a:b%zz"} {
		c, err := parseInputFlag(text)
		require.NoError(t, err)
		f.Catalogs = append(f.Catalogs, c)
	}
	assert.Equal(t, map[catalog.Key]string{{Namespace: "olm", Name: "a"}: "dir/a", {Name: "b"}: "https://host/b", {Name: "d"}: "a:b%zz"}, f.Given())
}

func TestParseCatalogFlag(t *testing.T) {
	tests := []struct {
		text string
		want CatalogFlag
	}{
		{"olm/coast=some/dir", CatalogFlag{text: "olm/coast=some/dir", Key: catalog.Key{Namespace: "olm", Name: "coast"}, from: "some/dir"}},
		{"coast=some=dir", CatalogFlag{text: "coast=some=dir", Key: catalog.Key{Name: "coast"}, from: "some=dir"}},
		{"olm/coast=dir,priority=-7", CatalogFlag{text: "olm/coast=dir,priority=-7", Key: catalog.Key{Namespace: "olm", Name: "coast"}, from: "dir", priority: -7, hasPriority: true}},
		{"coast=dir,label=a:b:c,label=d:", CatalogFlag{text: "coast=dir,label=a:b:c,label=d:", Key: catalog.Key{Name: "coast"}, from: "dir", labels: map[string]string{"a": "b:c", "d": ""}}},
		{"coast=dir,image=h:1/c:v1", CatalogFlag{text: "coast=dir,image=h:1/c:v1", Key: catalog.Key{Name: "coast"}, from: "dir", Image: "h:1/c:v1"}},
	}
	for _, tt := range tests {
		got, err := parseCatalogFlag(tt.text)
		require.NoError(t, err, tt.text)
		assert.Equal(t, tt.want, got, tt.text)
	}
	for text, want := range map[string]string{
		"":                        "invalid; want NAMESPACE/NAME=FROM",
		"olm/coast":               "invalid; want NAMESPACE/NAME=FROM",
		"=dir":                    "invalid; want NAMESPACE/NAME, or NAME alone",
		"/coast=dir":              "invalid; want NAMESPACE/NAME, or NAME alone",
		"olm/=dir":                "invalid; want NAMESPACE/NAME, or NAME alone",
		"a/b/c=dir":               "invalid; want NAMESPACE/NAME, or NAME alone",
		"coast=":                  "FROM is missing; see 'help catalogs'",
		"coast=dir,priority=high": `priority "high": invalid; want a whole number of at most 32 bits`,
		"coast=dir,priority":      `priority "": invalid; want a whole number of at most 32 bits`,
		"coast=dir,label=a":       `label "a": invalid; want KEY:VALUE`,
		"coast=dir,lable=a:b":     `"lable=a:b" cannot follow FROM; want priority=N, label=KEY:VALUE or image=REF`,
	} {
		_, err := parseCatalogFlag(text)
		assert.EqualError(t, err, want, text)
	}
}

// A catalog without a name is the only one that the manifests use and that is not given.
func TestNameCatalogs(t *testing.T) {
	subscription := func(catalog string) cluster.Subscription {
		return cluster.Subscription{Catalog: catalog, CatalogNamespace: "ns"}
	}
	for name, test := range map[string]struct {
		flags   []string
		objects cluster.Objects
		want    string // keys, or the error
	}{
		"nothing":          {[]string{"dir"}, cluster.Objects{}, "olm/catalog"},
		"named":            {[]string{"a/b=dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x")}}, "a/b"},
		"one":              {[]string{"oci:dir,label=a:b"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x"), subscription("x"), {}}}, "ns/x"},
		"default":          {[]string{"dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{{Catalog: "x"}}}, "olm/x"},
		"two":              {[]string{"dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x"), subscription("y")}}, "--catalog dir: the manifests name several catalogs; name the one you mean, as in --catalog ns/x=FROM"},
		"the other":        {[]string{"dir,priority=1", "ns/x=dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x"), subscription("y")}}, "ns/x ns/y"},
		"source":           {[]string{"https://h/a?b=c"}, cluster.Objects{CatalogSources: []cluster.CatalogSource{{Key: catalog.Key{Namespace: "a", Name: "b"}}}}, "a/b"},
		"named, no source": {[]string{"dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x")}, CatalogSources: []cluster.CatalogSource{{Key: catalog.Key{Namespace: "a", Name: "b"}}}}, "ns/x"},
		"extension":        {[]string{"dir"}, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{}}}, "catalog"},
		"both":             {[]string{"dir"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x")}, ClusterExtensions: []cluster.ClusterExtension{{}}, ClusterCatalogs: []cluster.ClusterCatalog{{Name: "y"}}}, "ns/x y"},
		"both, of a pipe":  {[]string{"-"}, cluster.Objects{Subscriptions: []cluster.Subscription{subscription("x")}, ClusterExtensions: []cluster.ClusterExtension{{}}}, errStdinTwice.Error()},
		"catalogs":         {[]string{"dir"}, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{}}, ClusterCatalogs: []cluster.ClusterCatalog{{Name: "y"}, {Name: "z"}}}, "--catalog dir: the manifests name several catalogs; name the one you mean, as in --catalog y=FROM"},
		"selector":         {[]string{"dir"}, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{{Selector: &cluster.Selector{MatchLabels: map[string]string{cluster.LabelMetadataName: "y"}}}}}, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			var f Flags
			for _, text := range test.flags {
				c, err := parseInputFlag(text)
				require.NoError(t, err)
				f.Catalogs = append(f.Catalogs, c)
			}
			err := f.nameCatalogs(&test.objects)
			var got []string
			for _, c := range f.Catalogs {
				got = append(got, c.Key.String())
			}
			slices.Sort(got)
			if err != nil {
				got = []string{err.Error()}
			}
			assert.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

// Command line before manifest, label by label.
func TestCatalogConfig(t *testing.T) {
	objects := cluster.Objects{
		CatalogSources:  []cluster.CatalogSource{{Key: catalog.Key{Namespace: "olm", Name: "coast"}, Priority: 3}},
		ClusterCatalogs: []cluster.ClusterCatalog{{Name: "coast", Priority: 4, Labels: map[string]string{"a": "1", "b": "2"}}},
	}
	tests := []struct {
		text     string
		priority int
		labels   map[string]string
	}{
		{"olm/coast=d", 3, map[string]string{}},
		{"olm/coast=d,priority=0", 0, map[string]string{}},
		{"coast=d,label=b:3", 4, map[string]string{"a": "1", "b": "3"}},
		{"olm/other=d", 0, map[string]string{}},
	}
	for _, tt := range tests {
		c, err := parseCatalogFlag(tt.text)
		require.NoError(t, err)
		assert.Equal(t, cache.CatalogConfig{Priority: tt.priority, Labels: tt.labels}, catalogConfig(&c, objects), tt.text)
	}
}

func TestSetInstalled(t *testing.T) {
	one := []cluster.ClusterExtension{{Name: "light"}}
	two := []cluster.ClusterExtension{{Name: "light"}, {Name: "sound"}}
	tests := []struct {
		text       string
		extensions []cluster.ClusterExtension
		want       cluster.InstalledExtension // of the last one
	}{
		{"lighthouse.v1.0.0@1.0.0", one, cluster.InstalledExtension{Name: "lighthouse.v1.0.0", Version: "1.0.0"}},
		{"sound=horn@1.0.0+1@2", two, cluster.InstalledExtension{Name: "horn", Version: "1.0.0+1", Release: "2", HasRelease: true}},
		{"sound=horn@1.0.0@", two, cluster.InstalledExtension{Name: "horn", Version: "1.0.0", HasRelease: true}},
	}
	for _, tt := range tests {
		f, err := parseInstalledFlag(tt.text)
		require.NoError(t, err, tt.text)
		require.NoError(t, setInstalled(tt.extensions, []installedFlag{f}), tt.text)
		assert.Equal(t, &tt.want, tt.extensions[len(tt.extensions)-1].Installed, tt.text)
	}
	for _, text := range []string{"", "horn", "@1.0.0", "horn@", "=horn@1.0.0", "horn@1@2@3"} {
		_, err := parseInstalledFlag(text)
		assert.EqualError(t, err, "invalid; want NAME@VERSION or EXTENSION=NAME@VERSION", text)
	}
	for text, want := range map[string]string{
		"horn@1.0.0":      "--installed horn: there are 2 ClusterExtensions; name one, as in EXTENSION=horn@1.0.0",
		"sand=horn@1.0.0": "--installed sand=horn: unknown ClusterExtension; did you mean sound?",
	} {
		f, err := parseInstalledFlag(text)
		require.NoError(t, err)
		assert.EqualError(t, setInstalled(two, []installedFlag{f}), want)
	}
}

func TestGlobalNamespaces(t *testing.T) {
	tests := []struct {
		args []string
		want []string
	}{
		{nil, nil},
		{[]string{"--global-namespace", "a", "--global-namespace=b"}, []string{"a", "b"}},
		{[]string{"--global-namespace="}, []string{}},
	}
	for _, tt := range tests {
		var f ChoiceFlags
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Register(set)
		require.NoError(t, set.Parse(tt.args))
		assert.Equal(t, tt.want, f.Options.GlobalNamespaces)
	}
}
