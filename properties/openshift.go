package properties

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// MajorMinor is a version of OpenShift without its patch, on which compatibility
// does not depend.
type MajorMinor struct{ Major, Minor uint64 }

// parseMajorMinor reads a version from plain text, a JSON string or a JSON number.
// 4.8, "4.8", "v4.8" and "4.8.2" all mean 4.8. The text of a number counts, so 4.10
// is not 4.1.
func parseMajorMinor(text string) (MajorMinor, error) {
	plain := text
	if strings.HasPrefix(plain, `"`) {
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			return MajorMinor{}, fmt.Errorf("%s is not a version such as 4.8: %w", text, err)
		}
	}
	if strings.TrimSpace(plain) == "" {
		return MajorMinor{}, errors.New("the version is empty: give one such as 4.8")
	}
	v, err := semver.ParseTolerant(plain)
	if err != nil {
		// The parser's own error quotes a text that it has completed.
		return MajorMinor{}, fmt.Errorf("%s is not a version such as 4.8", text)
	}
	return MajorMinor{v.Major, v.Minor}, nil
}

// Compare orders by major, then by minor.
func (m MajorMinor) Compare(other MajorMinor) int {
	return cmp.Or(cmp.Compare(m.Major, other.Major), cmp.Compare(m.Minor, other.Minor))
}

func (m MajorMinor) String() string { return fmt.Sprintf("%d.%d", m.Major, m.Minor) }
