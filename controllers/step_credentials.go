package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/pki"
)

// credentials keeps the Secrets: what is there stays, what is missing is made,
// what is due is renewed. A password that somebody has edited is taken over
// into the fields that are derived from it.
func (r *DatabaseReconciler) credentials(ctx context.Context, s *scope) error {
	if s.foreign("Secret", s.names.Authority()) {
		return nil // a new authority would be lost with this pass
	}
	authority, err := r.authority(ctx, s)
	if err != nil {
		return err
	}
	pair := authority.Pair()
	s.pair = &pair
	return errors.Join(
		r.certificates(ctx, s, authority),
		r.account(ctx, s, &s.app, s.in.AppSecret),
		r.account(ctx, s, &s.admin, s.in.AdminSecret),
		r.pullSecret(ctx, s),
	)
}

func (r *DatabaseReconciler) authority(ctx context.Context, s *scope) (*pki.Authority, error) {
	var authority *pki.Authority
	var err error
	if s.ca != nil {
		authority, err = pki.ParseAuthority(pki.Pair{Certificate: s.ca.Data[desired.AuthorityCert], Key: s.ca.Data[desired.AuthorityKey]})
	}
	switch {
	case err != nil || s.ca == nil:
		// One that cannot be read is as good as lost: members and clients take
		// the new one from their Secrets.
		authority, err = pki.NewAuthority(s.db.Namespace+"/"+s.db.Name, s.now)
	case !s.now.Before(authority.RenewalDue()):
		authority, err = authority.Renewed(s.now)
	}
	if err != nil {
		return nil, err
	}
	s.due(authority.RenewalDue())
	return authority, r.secret(ctx, s, &s.ca, s.in.AuthoritySecret(authority.Pair()))
}

func (r *DatabaseReconciler) certificates(ctx context.Context, s *scope, authority *pki.Authority) error {
	pairs := make([]pki.Pair, desired.MaxMembers)
	for ordinal := range pairs {
		certificate, key := desired.MemberKeys(ordinal)
		if s.tls != nil {
			pairs[ordinal] = pki.Pair{Certificate: s.tls.Data[certificate], Key: s.tls.Data[key]}
		}
		member := s.in.Member(ordinal)
		if !s.now.Before(authority.MemberRenewalDue(member, pairs[ordinal])) {
			pair, err := authority.Member(member, s.now)
			if err != nil {
				return err
			}
			pairs[ordinal] = pair
		}
		s.due(authority.MemberRenewalDue(member, pairs[ordinal]))
	}
	return r.secret(ctx, s, &s.tls, s.in.TLSSecret(authority.Pair().Certificate, pairs))
}

// account keeps a Secret with a password.
func (r *DatabaseReconciler) account(ctx context.Context, s *scope, secret **corev1.Secret, build func(string, []byte) *secretApply) error {
	password := ""
	if *secret != nil {
		password = string((*secret).Data[desired.PasswordKey])
	}
	if password == "" {
		password = pki.Password()
	}
	return r.secret(ctx, s, secret, build(password, s.pair.Certificate))
}

// pullSecret copies the operator's own image pull secrets, merged, so that the
// agent's image can be pulled in the namespace of the Database.
func (r *DatabaseReconciler) pullSecret(ctx context.Context, s *scope) error {
	if !r.Settings.PullSecret {
		return nil
	}
	merged := struct {
		Auths map[string]json.RawMessage `json:"auths"`
	}{map[string]json.RawMessage{}}
	for _, name := range r.PullSecrets {
		var own corev1.Secret
		if err := r.Live.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: name}, &own); err != nil {
			return fmt.Errorf("reading image pull secret %s: %w", name, err)
		}
		// Decoding adds to the map and keeps what is there.
		if err := json.Unmarshal(own.Data[corev1.DockerConfigJsonKey], &merged); err != nil {
			return fmt.Errorf("image pull secret %s of namespace %s is not of type %s", name, r.Namespace, corev1.SecretTypeDockerConfigJson)
		}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		return fmt.Errorf("merging image pull secrets: %w", err)
	}
	return r.secret(ctx, s, &s.pull, s.in.PullSecret(text))
}

// secret applies one and keeps the result in the scope. It runs while the spec
// is refused too, so that it must itself leave alone what is somebody else's.
func (r *DatabaseReconciler) secret(ctx context.Context, s *scope, have **corev1.Secret, want *secretApply) error {
	if s.foreign("Secret", *want.Name) {
		return nil
	}
	wrote, err := r.apply(ctx, orNil(*have), want)
	if err != nil {
		return fmt.Errorf("secret %s: %w", *want.Name, err)
	}
	if !wrote {
		return nil
	}
	now := &corev1.Secret{}
	if err := fromApply(want, now); err != nil {
		return err
	}
	*have = now
	s.wroteMounts = true
	return nil
}

// due remembers the soonest renewal.
func (s *scope) due(at time.Time) {
	if s.renewal.IsZero() || at.Before(s.renewal) {
		s.renewal = at
	}
}

// fromApply reads the API server's answer to an apply as an object.
func fromApply(applied runtime.ApplyConfiguration, object runtime.Object) error {
	text, err := json.Marshal(applied)
	if err == nil {
		err = json.Unmarshal(text, object)
	}
	if err != nil {
		return fmt.Errorf("reading what was applied: %w", err)
	}
	return nil
}
