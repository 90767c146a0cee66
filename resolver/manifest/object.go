package manifest

import "github.com/resolvent/resolvent/resolver/cluster"

// ReadObject reads one object that a program has in memory, such as one of an informer. The
// result holds that object alone, or nothing if its kind is not read.
//
// decode must fill a struct with the fields of the object by their json tags, as
// json.Unmarshal does. It is called more than once, each time with a pointer to a struct. It
// may share maps and slices with the object if these never change. For an unstructured
// object of Kubernetes it is
//
//	func(fields any) error {
//		return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, fields)
//	}
//
// A fault of the object is an *Error that names it.
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
