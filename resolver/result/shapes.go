package result

import (
	"reflect"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/code"
)

// shape says which arguments a code has beside those that all may have: of names with an
// exclamation mark there is always a value.
type shape struct {
	kind ReasonKind
	args string
}

const requestArgs = "request! bundles because other place count"

var shapes = map[code.Code]shape{
	code.Subscription: {ReasonSubscription, requestArgs},
	code.Extension:    {ReasonExtension, requestArgs},
	code.Hold:         {ReasonHold, requestArgs},
	code.Installed:    {ReasonInstalled, ""},
	code.Stays:        {ReasonInstalled, "request!"},
	code.StaysLeftOut: {ReasonInstalled, "request!"},
	code.Selected:     {ReasonSelected, ""},
	code.Asked:        {reasonAsked, ""},
	code.Committed:    {reasonCommitted, ""},

	code.Requires:         {ReasonDependency, "constraint! because other place count"},
	code.RequiresAny:      {ReasonDependency, "constraint! because"},
	code.RequiresOffered:  {ReasonDependency, "constraint! because"},
	code.Replaces:         {ReasonReplaces, "names"},
	code.AlreadyInstalled: {ReasonInstalled, ""},
	code.Deprecated:       {ReasonDeprecated, ""},
	code.OpenShift:        {ReasonOpenShift, "limit has"},
	code.Kubernetes:       {ReasonKubernetes, "limit has"},
	code.Pinned:           {ReasonPin, "other limit"},
	code.Forbidden:        {ReasonSystem, "said"},
	code.OwnedBeside:      {ReasonOneAPI, "apis request owner"},
	code.Owned:            {ReasonOneAPI, "apis owner"},
	code.OtherVersions:    {ReasonOneAPI, "apis owner limit has"},
	code.WrongMode:        {ReasonOperatorGroup, "owner limit has"},
	code.StaticGroup:      {ReasonOperatorGroup, "apis owner"},
	code.TakenAPI:         {ReasonOperatorGroup, "apis owner"},
	code.SharedAPI:        {ReasonOperatorGroup, "apis owner"},
	code.OnePackage:       {ReasonOnePackage, "clusterWide"},
	code.OneName:          {ReasonOneName, "clusterWide"},
	code.OneAPI:           {ReasonOneAPI, "api clusterWide"},
	code.Provides:         {ReasonProvides, "api"},
	code.SamePackage:      {ReasonProvides, "other"},
	code.SameName:         {ReasonProvides, "other"},
	code.CanSatisfy:       {ReasonExcluded, ""},
	code.Excluded:         {ReasonExcluded, ""},
	code.Part:             {reasonPart, "constraint!"},
	code.CannotHold:       {"", "constraint!"},

	code.MissingPackage:    {ReasonMissingPackage, "names searched"},
	code.MissingVersion:    {ReasonMissingVersion, "constraint! searched bundles"},
	code.MissingAPI:        {ReasonMissingAPI, "api searched bundles because"},
	code.OtherVersion:      {ReasonProvides, "api"},
	code.MissingLabel:      {ReasonMissingLabel, "constraint! searched bundles"},
	code.NoMatch:           {ReasonNoMatch, "constraint! searched bundles"},
	code.RuleFailed:        {ReasonRuleFailed, "err"},
	code.NotOffered:        {ReasonNotOffered, "constraint! err!"},
	code.InstalledInstead:  {ReasonNotOffered, "constraint!"},
	code.Unusable:          {ReasonNotOffered, "err!"},
	code.Quarantined:       {ReasonQuarantined, "api err"},
	code.NotAskedCatalog:   {ReasonUnknown, ""},
	code.ExcludedCatalog:   {ReasonInvisible, ""},
	code.UnhealthyCatalog:  {ReasonInvisible, ""},
	code.InvisibleCatalog:  {ReasonInvisible, "owner"},
	code.NoCatalog:         {ReasonUnknown, "searched"},
	code.UnknownCatalog:    {ReasonUnknown, "request! names"},
	code.CatalogExcluded:   {ReasonInvisible, "request!"},
	code.CatalogInvisible:  {ReasonInvisible, "request! owner!"},
	code.CatalogsUnhealthy: {ReasonUnknown, "err!"},
	code.NoPackage:         {ReasonMissingPackage, "names searched"},
	code.NoChannel:         {ReasonUnknown, "request! names"},
	code.NoUsableChannel:   {ReasonUnknown, "request! because"},
	code.BrokenChannel:     {ReasonUnknown, "channel said"},
	code.NoStartingCSV:     {ReasonUnknown, "request! names"},
	code.LostStartingCSV:   {ReasonUnknown, "request! searched"},
	code.NoBundles:         {ReasonUnknown, "request! searched"},
	code.NoVersion:         {ReasonMissingVersion, "request! searched"},
	code.NoSuccessor:       {ReasonMissingVersion, "request! names searched"},
	code.SuccessorUnlisted: {ReasonMissingVersion, "request! names searched"},
	code.SuccessorGone:     {ReasonMissingVersion, "request! names searched"},
	code.HasDependencies:   {ReasonUnknown, "constraint! other"},

	code.IsSelected:        {ReasonSelected, "request!"},
	code.IsKept:            {ReasonSelected, "request!"},
	code.NotSelected:       {reasonNotSelected, "request!"},
	code.Preferred:         {ReasonPreferred, "because! other place count"},
	code.Satisfied:         {ReasonPreferred, "because!"},
	code.Unasked:           {ReasonUnasked, ""},
	code.UpdatesHeld:       {ReasonUnasked, "request!"},
	code.CatalogNotAsked:   {ReasonUnasked, "request! searched"},
	code.NotInChannel:      {ReasonUnasked, "request!"},
	code.NotInChannels:     {ReasonUnasked, "request! searched"},
	code.OtherStartingCSV:  {ReasonUnasked, "request!"},
	code.BelowInstalled:    {ReasonUnasked, "request! channel"},
	code.SkippedUpdate:     {ReasonUnasked, "request! channel"},
	code.NoUpdate:          {ReasonUnasked, "request! names because!"},
	code.Unlisted:          {ReasonUnasked, "request! err! names"},
	code.OtherUpdates:      {ReasonUnasked, "request! names"},
	code.CatalogUnselected: {ReasonUnasked, "request! searched"},
	code.OutOfRange:        {ReasonUnasked, "request! searched has"},
	code.NoSuccessorOf:     {ReasonUnasked, "request! searched"},
	code.BetterCatalog:     {ReasonUnasked, "request! searched names other has limit"},
	code.BelowHead:         {ReasonBelowHead, "other channel request because"},
	code.NotListed:         {ReasonBelowHead, "other channel because"},
	code.NotUpgradeable:    {ReasonHold, "err!"},
	code.OneStep:           {ReasonBelowHead, ""},
	code.ByStartingCSV:     {ReasonBelowHead, ""},
	code.Conflict:          {reasonConflict, "conflict!"},
	code.DeadEnd:           {ReasonBelowHead, "request! channel names"},

	code.Deprecation:      {WarnDeprecation, "channel said"},
	code.ForcedChoice:     {WarnForcedChoice, "request! other because"},
	code.CatalogFault:     {ReasonQuarantined, "err count"},
	code.CatalogLeftOut:   {WarnCatalog, "err"},
	code.CatalogUnnamed:   {WarnCatalog, "err"},
	code.CatalogUnhealthy: {WarnCatalog, "err"},
	code.NoTargets:        {WarnNoTargets, ""},
	code.NoOperatorGroup:  {WarnNoOperatorGroup, ""},
	code.APIVersions:      {WarnAPIVersions, "has owner! limit"},
	code.DroppedVersions:  {WarnDroppedVersion, "apis"},
	code.Unneeded:         {WarnUnneeded, ""},
	code.OpenShiftLimit:   {ReasonOpenShift, ""},
}

// becauseBit stands for the reasons behind one among the fields of Args, and apiBit for an API that
// the reason is about.
const (
	becauseBit = 63
	apiBit     = 62
)

// fields are, by code, the arguments that a reason may and must have: bits by the index of
// the field.
var fields = func() map[code.Code][2]uint64 {
	bits, all := map[string]uint64{"because": 1 << becauseBit}, map[code.Code][2]uint64{}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Args]()) {
		bits[strings.ToLower(f.Name)] = 1 << i
	}
	bits["api"] = bits["apis"] | 1<<apiBit
	for c, s := range shapes {
		var may, must uint64
		for _, name := range strings.Fields("namespace subject bundle package version catalog " + s.args) {
			name, needed := strings.CutSuffix(strings.ToLower(name), "!")
			if may |= bits[name]; needed {
				must |= bits[name]
			}
		}
		all[c] = [2]uint64{may, must}
	}
	return all
}()

// fits reports whether a reason of the code may have the arguments.
func fits(c code.Code, args *Args, because []Reason) bool {
	have, values := uint64(0), reflect.ValueOf(args).Elem()
	for i := range values.NumField() {
		if !values.Field(i).IsZero() {
			have |= 1 << i
		}
	}
	if len(because) > 0 {
		have |= 1 << becauseBit
	}
	of, known := fields[c]
	return known && have&^of[0] == 0 && of[1]&^have == 0
}
