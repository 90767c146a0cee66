package document

import (
	"strings"
)

// pullSpec is the grammar of references to images.
var pullSpec = Pattern(`^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*(:[0-9]+)?/)?` +
	`[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,})?$`)

// identifier is the form of an image's identifier, which is no name.
var identifier = Pattern(`^[0-9a-f]{64}$`)

// digests are the lengths of the known digests, by algorithm.
var digests = map[string]int{"sha256": 64, "sha384": 96, "sha512": 128}

// PullSpec reports whether a text is a reference to an image: [HOST/]NAME[:TAG][@DIGEST].
func PullSpec(text string) bool {
	name, digest, digested := strings.Cut(text, "@")
	if digested {
		algorithm, hex, _ := strings.Cut(digest, ":")
		if digests[algorithm] != len(hex) || strings.Trim(hex, "0123456789abcdef") != "" {
			return false
		}
	}
	return plainName(name) || pullSpec().MatchString(text) && !identifier().MatchString(text)
}

// plainName reports whether a name is one without doubt: words of lower-case letters and digits
// with single characters between them, and at most a plain tag. The grammar takes forty times as
// long, and catalogs have ten images a bundle.
func plainName(name string) bool {
	name, tag, tagged := strings.Cut(name, ":")
	if tagged && (tag == "" || len(tag) > 128 || tag[0] == '.' || tag[0] == '-') {
		return false
	}
	for i := range len(tag) {
		if c := tag[i]; !lowerOrDigit(c) && (c < 'A' || c > 'Z') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	word := false
	for i := range len(name) {
		c := name[i]
		if next := lowerOrDigit(c); !next && (!word || c != '.' && c != '_' && c != '-' && c != '/') {
			return false
		} else {
			word = next
		}
	}
	// One word of the length of an identifier may be one.
	return word && len(name) <= 255 && (len(name) != 64 || strings.Contains(name, "/"))
}

func lowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
