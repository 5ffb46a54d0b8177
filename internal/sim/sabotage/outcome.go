package sabotage

// Outcome is what the saboteur tells of one sabotage, as a line of JSON.
type Outcome struct {
	Seeds   int     `json:"seeds"`            // that were run, or runs that were searched
	Last    uint64  `json:"last"`             // the last of them
	Broken  string  `json:"broken,omitempty"` // what that one broke; empty: nothing
	Seconds float64 `json:"seconds"`
}
