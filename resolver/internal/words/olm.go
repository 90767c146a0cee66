package words

// The API groups of OLM v0 and v1.
const (
	GroupV0 = "operators.coreos.com"
	GroupV1 = "olm.operatorframework.io"
)

// What OLM reads and writes in objects.
const (
	AnnotationOperatorNamespace = "olm.operatorNamespace"
	AnnotationProvidedAPIs      = "olm.providedAPIs"
	AnnotationGeneratedBy       = "olm.generated-by"
	AnnotationExcludeGlobal     = "olm.operatorframework.io/exclude-global-namespace-resolution"
	// StrategyFailForward is the spec.upgradeStrategy of an OperatorGroup with which OLM moves on
	// from operators that failed.
	StrategyFailForward = "TechPreviewUnsafeFailForward"
	// ConditionUpgradeable is the type of the condition by which an operator refuses updates.
	ConditionUpgradeable = "Upgradeable"
)
