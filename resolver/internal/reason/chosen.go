package reason

import (
	"strconv"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// IsSelected takes the key that stands for all requests of a scope, as the next two do.
func IsSelected(bundle string, all cluster.RequestKey) result.Reason {
	return state(words.IsSelected, Subject(bundle), result.Args{Request: &result.Request{Key: all}})
}

func IsKept(bundle string, all cluster.RequestKey) result.Reason {
	return state(words.IsKept, Subject(bundle), result.Args{Request: &result.Request{Key: all}})
}

func NotSelected(bundle string, all cluster.RequestKey) result.Reason {
	return state(words.NotSelected, Subject(bundle), result.Args{Request: &result.Request{Key: all}})
}

// Preferred states that a bundle comes before another one, by their places. It follows from an
// obligation, and from what decides.
func Preferred(bundle string, place int, other string, otherPlace int, obligation result.Reason, decides ...result.Reason) result.Reason {
	args := result.Args{Place: int32(place), Other: other, Count: int32(otherPlace)}
	return state(words.Preferred, Bundle(bundle, ""), args, append([]result.Reason{obligation}, decides...)...)
}

func Satisfied(about About, obligation result.Reason) result.Reason {
	return state(words.Satisfied, about, result.Args{}, obligation)
}

// What decides that a candidate comes before another one: the first one is named first.

func UpdateFirst() result.Reason { return result.New(words.UpdateFirst, result.Args{}) }

func NotDeprecatedFirst(other string) result.Reason {
	return result.New(words.NotDeprecatedFirst, result.Args{Other: other})
}

func NamedCatalogFirst(first, other catalog.Key) result.Reason {
	return state(words.NamedCatalogFirst, About{Catalog: first}, result.Args{Other: other.String()})
}

func OwnCatalogFirst(first, other catalog.Key) result.Reason {
	return state(words.OwnCatalogFirst, About{Catalog: first}, result.Args{Other: other.String()})
}

// HigherPriority takes the priorities of the catalogs, as the next two do.
func HigherPriority(first, other catalog.Key, of, than int) result.Reason {
	return state(words.HigherPriority, About{Catalog: first}, priorities(other, of, than))
}

func OwnNamespaceFirst(first, other catalog.Key, of, than int) result.Reason {
	return state(words.OwnNamespaceFirst, About{Catalog: first}, priorities(other, of, than))
}

func CatalogName(first, other catalog.Key, of, than int) result.Reason {
	return state(words.CatalogName, About{Catalog: first}, priorities(other, of, than))
}

func priorities(other catalog.Key, of, than int) result.Args {
	return result.Args{Other: other.String(), Has: strconv.Itoa(of), Limit: strconv.Itoa(than)}
}

func DefaultChannel(pkg, channel string) result.Reason {
	return state(words.DefaultChannel, About{Package: pkg}, result.Args{Channel: channel})
}

func PackageName(first, other string) result.Reason {
	return state(words.PackageName, About{Package: first}, result.Args{Other: other})
}

func ChannelName(first, other string) result.Reason {
	return result.New(words.ChannelName, result.Args{Channel: first, Other: other})
}

// SameVersion takes the release that is higher, empty if the names decide.
func SameVersion(version, release string) result.Reason {
	return result.New(words.SameVersion, result.Args{Said: version, Limit: release})
}

// HigherVersion takes the prerelease of the version, if it comes before one.
func HigherVersion(prerelease string) result.Reason {
	return result.New(words.HigherVersion, result.Args{Limit: prerelease})
}

func NearerHead(channel string) result.Reason {
	return result.New(words.NearerHead, result.Args{Channel: channel})
}

// Why nothing leads to a bundle, of a catalog or of all.

// in has the one catalog that was searched.
func in(k catalog.Key) *result.Searched { return &result.Searched{Catalogs: []catalog.Key{k}} }

func Unasked(about About) result.Reason { return state(words.Unasked, about, result.Args{}) }

func UpdatesHeld(about About, r *result.Request) result.Reason {
	return state(words.UpdatesHeld, about, result.Args{Request: r})
}

func CatalogNotAsked(about About, r *result.Request, from catalog.Key) result.Reason {
	return state(words.CatalogNotAsked, about, result.Args{Request: r, Searched: in(from)})
}

func NotInChannel(about About, r *result.Request) result.Reason {
	return state(words.NotInChannel, about, result.Args{Request: r})
}

func NotInChannels(about About, r *result.Request, from catalog.Key) result.Reason {
	return state(words.NotInChannels, about, result.Args{Request: r, Searched: in(from)})
}

func OtherStartingCSV(about About, r *result.Request) result.Reason {
	return state(words.OtherStartingCSV, about, result.Args{Request: r})
}

func BelowInstalled(about About, r *result.Request, channel string) result.Reason {
	return state(words.BelowInstalled, about, result.Args{Request: r, Channel: channel})
}

func SkippedUpdate(about About, r *result.Request, channel string) result.Reason {
	return state(words.SkippedUpdate, about, result.Args{Request: r, Channel: channel})
}

// NoUpdate takes the channels through which updates come, as OtherUpdates does.
func NoUpdate(about About, r *result.Request, channels []string, because ...result.Reason) result.Reason {
	return state(words.NoUpdate, about, result.Args{Request: r, Names: channels}, because...)
}

func Unlisted(about About, r *result.Request, why *result.Unlisted) result.Reason {
	return state(words.Unlisted, about, result.Args{Request: r, Err: why})
}

func OtherUpdates(about About, r *result.Request, channels []string) result.Reason {
	return state(words.OtherUpdates, about, result.Args{Request: r, Names: channels})
}

func CatalogUnselected(about About, r *result.Request, from catalog.Key) result.Reason {
	return state(words.CatalogUnselected, about, result.Args{Request: r, Searched: in(from)})
}

func OutOfRange(about About, r *result.Request, version string, from catalog.Key) result.Reason {
	return state(words.OutOfRange, about, result.Args{Request: r, Has: version, Searched: in(from)})
}

func NoSuccessorOf(about About, r *result.Request, from catalog.Key) result.Reason {
	return state(words.NoSuccessorOf, about, result.Args{Request: r, Searched: in(from)})
}

// Better is the best bundle of a catalog, with the priority of that and of another one.
type Better struct {
	Bundle         string
	Catalog        catalog.Key
	Priority, Than int
}

// BetterCatalog takes the better bundle, nil if it is not known.
func BetterCatalog(about About, r *result.Request, better *Better, from catalog.Key) result.Reason {
	args := result.Args{Request: r, Searched: in(from)}
	if better != nil {
		args.Other, args.Names = better.Bundle, []string{better.Catalog.String()}
		if better.Priority > better.Than {
			args.Has, args.Limit = strconv.Itoa(better.Priority), strconv.Itoa(better.Than)
		}
	}
	return state(words.BetterCatalog, about, args)
}
