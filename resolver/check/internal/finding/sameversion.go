package finding

var sameVersionKind = Kind{
	Code: "sameVersion", Meaning: "two bundles of a package have the same version", cause: byPlace, because: (*subject).sameVersion,
	None: "only their author knows which version the bundles have",
}

func (s *subject) sameVersion() (list []Reason) {
	v := s.version(s.id.Bundle)
	if v == nil {
		return nil
	}
	for _, id := range s.pkg.Bundles {
		if b := s.Bundle(id); b.Name != s.id.Bundle && b.Version.EQ(*v) {
			list = append(list, Reason{Code: SameVersion, Entry: s.id.Bundle, Other: b.Name, Versions: []string{v.String(), b.Version.String()}})
		}
	}
	return list
}
