// Package schema has the JSON Schemas (2020-12) of what commands write with -o json. A test makes
// them from the types, so that the program needs nothing for that.
package schema

import (
	"cmp"
	"embed"
	"slices"
	"strings"
)

const (
	folder = "schemas"
	whole  = "all" // the name of the schema of what all commands write
)

//go:embed schemas
var files embed.FS

// Commands are the commands that write JSON, sorted.
func Commands() (list []string) {
	entries, _ := files.ReadDir(folder) // it is embedded
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".json"); name != whole {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Of is the schema of what a command writes, or all of them for "".
func Of(command string) ([]byte, error) {
	return files.ReadFile(folder + "/" + cmp.Or(command, whole) + ".json")
}
