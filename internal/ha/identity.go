package ha

import "slices"

// MaxMembers is the largest number of members; ordinals are below it.
const MaxMembers = 5

// Boot counts the starts of an agent on one volume. The nonce tells two starts
// apart that a copied volume gave the same number.
type Boot struct {
	Number int64  `json:"number"`
	Nonce  uint64 `json:"nonce"`
}

// Identity is how a member introduces itself in every message.
type Identity struct {
	Cluster string // uid of the set of data; empty on a volume without any
	UID     string // of the member: of its volume
	Ordinal int    // of its pod
	Boot    Boot
}

// KnownBoot is the highest boot that somebody has heard of a member.
type KnownBoot struct {
	UID  string `json:"uid"`
	Boot Boot   `json:"boot"`
}

// Boots are the highest boots known, one entry per member. The slice is never
// changed in place.
type Boots []KnownBoot

// Of is the highest boot known of uid, zero if none is.
func (b Boots) Of(uid string) Boot {
	for _, k := range b {
		if k.UID == uid {
			return k.Boot
		}
	}
	return Boot{}
}

func (b Boots) equal(o Boots) bool { return slices.Equal(b, o) }

// heard is b with this boot of uid, which must not be older than the known one.
func (b Boots) heard(uid string, boot Boot) Boots {
	b = slices.DeleteFunc(slices.Clone(b), func(k KnownBoot) bool { return k.UID == uid })
	return append(b, KnownBoot{uid, boot})
}
