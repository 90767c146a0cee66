// Package testdata holds small invented catalogs for examples and tests.
package testdata

import "embed"

// Catalogs has a folder for each catalog: coast, island and reef, in which a
// package lies wrecked.
//
//go:embed all:catalogs
var Catalogs embed.FS

// Examples has a folder for each problem of the playground, with a catalog.yaml and a
// cluster.yaml.
//
//go:embed examples
var Examples embed.FS
