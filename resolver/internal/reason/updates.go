package reason

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// BelowHead takes the best bundle, and its channel or the request that admits it.
func BelowHead(about About, best, channel string, r *result.Request, because ...result.Reason) result.Reason {
	return state(words.BelowHead, about, result.Args{Other: best, Channel: channel, Request: r}, because...)
}

// NotListed takes the head of the channel.
func NotListed(bundle, pkg, head, channel string, because ...result.Reason) result.Reason {
	about := About{Subject: bundle, Package: pkg}
	return state(words.NotListed, about, result.Args{Other: head, Channel: channel}, because...)
}

func OneStep() result.Reason       { return result.New(words.OneStep, result.Args{}) }
func ByStartingCSV() result.Reason { return result.New(words.ByStartingCSV, result.Args{}) }

// ChannelEnds takes the channel that goes on, and the version of its head.
func ChannelEnds(about About, channel, next, version string) result.Reason {
	return state(words.ChannelEnds, about, result.Args{Channel: channel, Other: next, Has: version})
}

// ChannelLeft takes the channel that goes on, the version of its head if that is newer, and the field
// that names channels.
func ChannelLeft(about About, r *result.Request, channel, next, version, field string) result.Reason {
	return state(words.ChannelLeft, about, result.Args{Request: r, Channel: channel, Other: next, Has: version, Said: field})
}

// CatalogImage takes the image of a catalog now and, empty if it stays, at a version of the cluster;
// and the template of both.
func CatalogImage(from catalog.Key, now, then, version, template string) result.Reason {
	about := About{Subject: now, Catalog: from}
	return state(words.CatalogImage, about, result.Args{Has: then, Limit: version, Said: template})
}

// KeptOut takes the newer versions.
func KeptOut(about About, r *result.Request, versions []string) result.Reason {
	return state(words.KeptOut, about, result.Args{Request: r, Names: versions})
}

// UpdateElsewhere takes the field that has to name the catalog of the update.
func UpdateElsewhere(bundle string, from catalog.Key, r *result.Request, field string) result.Reason {
	return state(words.UpdateElsewhere, Bundle(bundle, r.Package).In(from), result.Args{Request: r, Said: field})
}

// StartUnread takes what is installed.
func StartUnread(r *result.Request, installed string) result.Reason {
	return state(words.StartUnread, Bundle(r.StartingCSV, r.Package), result.Args{Request: r, Other: installed})
}

// StartLeft takes the update.
func StartLeft(r *result.Request, update string) result.Reason {
	return state(words.StartLeft, Bundle(r.StartingCSV, r.Package), result.Args{Request: r, Other: update})
}

// ChosenAnyway takes what becomes of the bundle, and the approval that would keep it back, empty if
// that is asked for already.
func ChosenAnyway(bundle string, r *result.Request, then, approval string) result.Reason {
	return state(words.ChosenAnyway, Bundle(bundle, r.Package), result.Args{Request: r, Has: then, Limit: approval})
}

// What is known of an object of OLM.

// StatedCode is a code of what OLM states of an object.
type StatedCode words.Code

const (
	StatedByOLM      = StatedCode(words.StatedByOLM)
	ResolvesNow      = StatedCode(words.ResolvesNow)
	FailsToo         = StatedCode(words.FailsToo)
	PlanGone         = StatedCode(words.PlanGone)
	CatalogsSeen     = StatedCode(words.CatalogsSeen)
	CatalogBroken    = StatedCode(words.CatalogBroken)
	CatalogPolls     = StatedCode(words.CatalogPolls)
	CatalogNotServed = StatedCode(words.CatalogNotServed)
	CatalogStays     = StatedCode(words.CatalogStays)
)

// Stated takes a phase or a condition with its status, empty if that goes without saying, and the
// message. The object is empty if it is that of the request.
func Stated(c StatedCode, object, has, status, said string) result.Reason {
	return state(words.Code(c), Subject(object), result.Args{Has: has, Limit: status, Said: said})
}

// InPhase takes what is not met, and the InstallPlan that waits.
func InPhase(object, has string, unmet []string, waiting, said string) result.Reason {
	return state(words.InPhase, Subject(object), result.Args{Has: has, Names: unmet, Other: waiting, Said: said})
}

// HasCondition takes the status, empty if that goes without saying.
func HasCondition(object, has, status string, unmet []string, waiting, said string) result.Reason {
	return state(words.HasCondition, Subject(object), result.Args{Has: has, Limit: status, Names: unmet, Other: waiting, Said: said})
}

// HeldUpdate takes what the replaced bundle states, nil if nothing.
func HeldUpdate(bundle, replaced string, hold *result.Hold, said string) result.Reason {
	args := result.Args{Other: replaced, Said: said}
	if hold != nil {
		args.Err = hold
	}
	return state(words.HeldUpdate, Subject(bundle), args)
}

// Approval takes the InstallPlan, if only its name is known, and the Subscriptions with manual approval, as
// PendingApproval does.
func Approval(plan string, manual []string) result.Reason {
	return result.New(words.Approval, result.Args{Other: plan, Names: manual})
}

func PendingApproval(plan string, manual []string) result.Reason {
	return state(words.PendingApproval, Subject(words.ObjectInstallPlan+" "+plan), result.Args{Names: manual})
}

// PlanDone takes what the InstallPlan brings, and a later one that is done instead, if there is one.
func PlanDone(plan string, brings []string, later string) result.Reason {
	return state(words.PlanDone, Subject(plan), result.Args{Names: brings, Other: later})
}

// TwinPlan takes what both InstallPlans bring, the phase of this one, and the other one if that
// brings it all.
func TwinPlan(plan string, brings []string, phase, other string) result.Reason {
	return state(words.TwinPlan, Subject(plan), result.Args{Names: brings, Has: phase, Other: other})
}

// Lost is what became of what a Subscription has installed.
type Lost struct {
	Next, Plan string   // what comes next, and the InstallPlan that brings it
	Waits      []string // the Subscriptions for which it waits
	Namespace  string   // of which the installed one is a copy
}

func (l *Lost) args(key cluster.RequestKey) result.Args {
	return result.Args{Request: &result.Request{Key: key}, Has: l.Next, Limit: l.Plan, Names: l.Waits, Other: l.Namespace}
}

func InstalledGone(bundle string, key cluster.RequestKey, lost Lost) result.Reason {
	return state(words.InstalledGone, Subject(words.ObjectCSV+" "+bundle), lost.args(key))
}

func PlanLost(plan string, key cluster.RequestKey, lost Lost) result.Reason {
	return state(words.PlanLost, Subject(words.ObjectInstallPlan+" "+plan), lost.args(key))
}

// DeadEnd takes the channel, and those in which an update leads on.
func DeadEnd(r *result.Request, channel string, others []string) result.Reason {
	return result.New(words.DeadEnd, result.Args{Request: r, Channel: channel, Names: others})
}
