package model

// The limits of this package.
const (
	// defaultMaxCandidates is [policy.Options.MaxCandidates] if that is 0.
	defaultMaxCandidates = 1_000_000
	// defaultMaxRuleCost is [policy.Options.MaxRuleCost] if that is 0.
	defaultMaxRuleCost = 50_000_000
	// maxJudged is half the number of Judgments that a Universe caches.
	maxJudged = 64
	// judgedTogether is the number of bundles that share a chunk of Judgments: a small request
	// reaches few (BenchmarkPolicyNamespaces/ten: 403 to 123 MB).
	judgedTogether = 64
	// fewInstalled is the number of installed bundles up to which all are matched, and no index is
	// made (BenchmarkReal/upgrade-ten: 54 to 33 KB).
	fewInstalled = 16
	// maxVersions is half the number of versions whose lists a Universe caches.
	maxVersions = 1 << 16
	// maxMatching is half the number of candidates, four bytes each, in all cached lists of a Universe.
	maxMatching = 8 << 20
	// maxUniverses is half the number of sets of catalogs whose Universe is cached. Namespaces
	// that see the same catalogs share one.
	maxUniverses = 32
	// maxVerdicts is half the number of verdicts that are cached.
	maxVerdicts = 1 << 16
)
