package properties

import "github.com/go-json-experiment/json/jsontext"

// KindName names a JSON value as messages of faults do, such as "a list".
func KindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "a list"
	}
	return "something else"
}
