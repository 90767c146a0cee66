package manifest

import "github.com/resolvent/resolvent/resolver/cluster"

// ReadObject returns one object of which a program has the fields and no text,
// such as an informer of Kubernetes has. The result holds that object alone, or
// nothing if the kind is one that is not read.
//
// decode must fill the given struct with the fields of the object,
// by their json tags, as json.Unmarshal does. It is called with a pointer, more
// than once, and may share maps and slices with the object if that never
// changes. For an unstructured object of Kubernetes it is
//
//	func(fields any) error {
//		return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, fields)
//	}
//
// A fault of the object is an *Error that names it, as far as it has a name.
func ReadObject(apiVersion, kind string, decode func(fields any) error) (cluster.Objects, error) {
	var objects cluster.Objects
	k, ok := kindNamed(kind)
	if !ok || !k.has(apiVersion) {
		return objects, nil
	}
	var head struct {
		Metadata metadata `json:"metadata"`
	}
	at := Error{Item: -1, Kind: kind}
	if err := decode(&head); err != nil {
		return objects, at.fault(faultAt("metadata", err))
	}
	_, add, err := k.object(&at, head.Metadata, decode)
	if err != nil {
		return objects, err
	}
	add(&objects)
	return objects, nil
}
