package request

import (
	"testing"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEndsOfRanges(t *testing.T) {
	for text, want := range map[string]string{
		"0.51.0":             ">=0.51.0 <=0.51.0",
		"=1.2":               ">=1.2.0 <1.3.0",
		"1.x":                ">=1.0.0 <2.0.0",
		"1.2.*":              ">=1.2.0 <1.3.0",
		"*":                  " ",
		">=1.1.0, <2.1.0":    ">=1.1.0 <2.1.0",
		">1.1 <=2":           ">1.1 <=2",
		"~1.2.3":             ">=1.2.3 <1.3.0",
		"~>1":                ">=1.0.0 <2.0.0",
		"^1.2":               ">=1.2.0 <2.0.0",
		"^0.2.3":             ">=0.2.3 <0.3.0",
		"^0.0.3":             ">=0.0.3 <0.0.4",
		"^0":                 ">=0.0.0 <1.0.0",
		"1.0 - 2.0":          ">=1.0 <=2.0",
		"!=1.5.0":            " ",
		"<2.0.0 || 3.0.0":    " <=3.0.0",
		"1.0.0 || >=3.0.0":   ">=1.0.0 ",
		"1.2.0-rc.1 || ~1.1": ">=1.1.0 <1.2.0",
	} {
		versions, err := masterminds.NewConstraint(text)
		require.NoError(t, err)
		low, high := ends(versions)
		assert.Equal(t, want, low.text+" "+high.text, text)
	}
}
