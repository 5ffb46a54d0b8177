package agentapi

// Reasons of Status.Reason on which the operator acts. All others it only
// repeats.
const (
	// ReasonConfigurationRefused: the engine does not take the parameters, and
	// those before them stay in force.
	ReasonConfigurationRefused = "ConfigurationRefused"

	// The volume needs somebody.
	ReasonDiskFull   = "DiskFull"
	ReasonDiskFailed = "DiskFailed"

	// The volume holds something else than what should be served from it.
	ReasonWrongDatabase  = "WrongDatabase"
	ReasonWrongEngine    = "WrongEngine"
	ReasonUnknownData    = "UnknownData"
	ReasonUnfinishedJob  = "UnfinishedJob"
	ReasonDataMissing    = "DataMissing"
	ReasonMembersMissing = "MembersMissing"

	// The register's record leaves this member no part.
	ReasonNotAMember      = "NotAMember"
	ReasonNotBootstrapped = "NotBootstrapped"
	ReasonRuleOfMore      = "RuleOfMore"

	// ReasonUnknownEngine: the pod has an agent older than its engine.
	ReasonUnknownEngine = "UnknownEngine"
)

// NeedsSomebody tells whether nothing but a person's act ends this state.
func NeedsSomebody(reason string) bool {
	switch reason {
	case ReasonDiskFull, ReasonDiskFailed, ReasonWrongDatabase, ReasonWrongEngine,
		ReasonUnknownData, ReasonUnfinishedJob, ReasonDataMissing, ReasonMembersMissing,
		ReasonNotAMember, ReasonNotBootstrapped, ReasonRuleOfMore, ReasonUnknownEngine:
		return true
	default:
		return false
	}
}
