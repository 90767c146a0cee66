// Package template reads templates of catalogs as the catalogs that opm renders from them: a
// basic template (olm.template.basic) lists blobs, in which a bundle is its image; a semver
// template (olm.semver) lists images of bundles by the channels that they are in.
//
// The content of bundles comes from other catalogs or from bundle directories ([Bundles]).
// Nothing is read from a registry, and nothing is guessed: a template whose bundles are not all
// given is not read ([NotGiven]).
//
// What is found has the places of the template. Where opm refuses a template, that is a fault
// with the code template; the rest is read all the same.
package template
