package properties

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"
)

// MajorMinor is a version of OpenShift without its patch, on which compatibility
// does not depend.
type MajorMinor struct{ Major, Minor uint64 }

// parseMajorMinor reads a version from a JSON string or a JSON number. 4.8, "4.8", "v4.8"
// and "4.8.0" all mean 4.8; the number 4.10 is 4.1. exact is why OLM does not accept what can
// be read, nil if it does.
func parseMajorMinor(text string) (_ MajorMinor, exact, err error) {
	plain := strings.TrimSpace(text)
	if strings.HasPrefix(plain, `"`) {
		if err := json.Unmarshal([]byte(text), &plain); err != nil {
			return MajorMinor{}, nil, fmt.Errorf("%s is not a version such as 4.8: %w", text, err)
		}
	} else if number, err := strconv.ParseFloat(plain, 64); err == nil {
		plain = strconv.FormatFloat(number, 'f', -1, 64)
	}
	if strings.TrimSpace(plain) == "" {
		return MajorMinor{}, nil, errors.New("the version is empty: give one such as 4.8")
	}
	v, err := semver.ParseTolerant(plain)
	if err != nil {
		// The parser's own error quotes a text that it has completed.
		return MajorMinor{}, nil, fmt.Errorf("%s is not a version such as 4.8", text)
	}
	m := MajorMinor{v.Major, v.Minor}
	if v.Patch != 0 || len(v.Pre) > 0 {
		exact = fmt.Errorf("%s must be MAJOR.MINOR only: %s", text, m)
	}
	return m, exact, nil
}

// OpenShiftOf returns the major and minor of a version of OpenShift, false if the text is none.
func OpenShiftOf(version string) (MajorMinor, bool) {
	v, err := semver.ParseTolerant(version)
	return MajorMinor{v.Major, v.Minor}, err == nil
}

// lastOfFour is the number of minor versions of OpenShift 4: 4.23 is 5.0 under another name,
// 4.24 is 5.1, and so on.
const lastOfFour = 23

// release returns the place of a version among those of its major. Versions of one release
// have one place.
func (m MajorMinor) release() (major, minor uint64) {
	if m.Major == 4 && m.Minor >= lastOfFour {
		return 5, m.Minor - lastOfFour
	}
	return m.Major, m.Minor
}

// Compare orders by release. It is 0 for 4.23 and 5.0, which are one release.
func (m MajorMinor) Compare(other MajorMinor) int {
	major, minor := m.release()
	otherMajor, otherMinor := other.release()
	return cmp.Or(cmp.Compare(major, otherMajor), cmp.Compare(minor, otherMinor))
}

// To returns the versions behind m up to a later one, one release after another. It names
// them as OpenShift 5 where the later one is of that major. It returns nil if no sequence of
// minors leads there.
func (m MajorMinor) To(later MajorMinor) (all []MajorMinor) {
	const most = 100
	for len(all) < most && m.Compare(later) < 0 {
		m.Minor++
		if m.Major == 4 && later.Major == 5 {
			m.Major, m.Minor = m.release()
		}
		all = append(all, m)
	}
	if m.Compare(later) != 0 {
		return nil
	}
	return all
}

func (m MajorMinor) String() string { return fmt.Sprintf("%d.%d", m.Major, m.Minor) }

// Kubernetes returns the minor version of Kubernetes in a version of OpenShift: since OpenShift 4.3 with
// Kubernetes 1.16 both go up by one. It is empty for older versions.
func (m MajorMinor) Kubernetes() string {
	if m.Major == 5 {
		m = MajorMinor{4, m.Minor + lastOfFour}
	}
	if m.Major != 4 || m.Minor < 3 {
		return ""
	}
	return fmt.Sprintf("1.%d", m.Minor+13)
}

// UnquotedLimit returns what is wrong with an olm.maxOpenShiftVersion that is a number, for which
// 4.20 is 4.2; "" for other properties.
func (p Property) UnquotedLimit() string {
	if p.Type != TypeMaxOpenShift || len(p.Value) == 0 || p.Value[0] < '0' || p.Value[0] > '9' {
		return ""
	}
	quoted := fmt.Sprintf("%q", p.Value)
	if _, minor, ok := strings.Cut(string(p.Value), "."); ok && len(minor) == 1 && minor != "0" {
		quoted = fmt.Sprintf(`"%s" or "%[1]s0"`, p.Value)
	}
	return fmt.Sprintf("olm.maxOpenShiftVersion is a number, to YAML and JSON %s: quote the version that is meant, %s", p.Value, quoted)
}
