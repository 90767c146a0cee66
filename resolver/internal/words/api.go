package words

import "github.com/resolvent/resolvent/properties"

// APIName names an API, or a kind where there is no version.
func APIName(api properties.GVK) string {
	if api.Version == "" {
		return api.Kind + "." + api.Group
	}
	return api.String()
}

// APIText shows an API for people, and a kind where there is no version.
func APIText(api properties.GVK) string {
	if api.Version == "" {
		return APIName(api)
	}
	return api.Describe()
}
