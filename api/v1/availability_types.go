package v1

// FailoverProfile is a set of timings, kept together because they are safe
// only together.
//
// +kubebuilder:validation:Enum=fast;standard;far
type FailoverProfile string

// The profiles, from the quickest to the most patient.
const (
	FailoverFast     FailoverProfile = "fast"
	FailoverStandard FailoverProfile = "standard"
	FailoverFar      FailoverProfile = "far"
)

// Failover says how a failure of the primary is dealt with.
type Failover struct {
	// How soon a silent primary is given up: fast within about three seconds,
	// for members in one data centre; standard for members with CPU limits or a
	// network that pauses; far for members in distant places.
	// +optional
	// +kubebuilder:default="fast"
	Profile FailoverProfile `json:"profile,omitempty"`
}

// OnLoss is what happens when only one copy of the data is left.
//
// +kubebuilder:validation:Enum=degrade;block
type OnLoss string

// What can happen when only one copy is left.
const (
	OnLossDegrade OnLoss = "degrade"
	OnLossBlock   OnLoss = "block"
)

// Durability says how many copies a write must have.
type Durability struct {
	// What happens when two or more members are wanted and only one is left:
	// degrade serves from the single copy and says so in the condition Durable;
	// block stops serving until there is a second copy.
	// +optional
	// +kubebuilder:default="degrade"
	OnLoss OnLoss `json:"onLoss,omitempty"`
}
