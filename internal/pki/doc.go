// Package pki owns the certificates of one Database: its own certificate
// authority, the key pair of each member, and the operator's client
// certificate. It is pure but for randomness: times are handed in, and what it
// makes is returned as PEM. It knows no Kubernetes object and no engine.
//
//	CA (ten years, re-signed with the same key two years before its end)
//	 ├─ <name>-0 … <name>-4   server and client, one year, renewed at eight months
//	 └─ operator              client only, a week, kept in memory, renewed daily
//
// The CA is re-signed with its old key, never replaced: a client that holds
// the old ca.crt goes on trusting new members, and the other way round.
package pki
