package driver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// knocked is how the server met a client at its TCP port.
type knocked struct {
	// refused: it was turned away before it was asked for a password.
	refused bool
	// certificate is what the server showed, in DER.
	certificate []byte
}

// knock begins to log in over TLS as a client would and hangs up at the first
// answer, which leaves nothing in the log if it was let in that far. There is
// no such account, but the server looks into the file of logins first.
func knock(ctx context.Context) (knocked, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.ECONNREFUSED) {
		return knocked{}, engine.ErrNotRunning
	}
	if err != nil {
		return knocked{}, fmt.Errorf("knocking as a client: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	k, err := knockOn(ctx, conn)
	if err != nil {
		return knocked{}, fmt.Errorf("knocking as a client: %w", err)
	}
	return k, nil
}

// knockOn speaks the beginning of the protocol:
// https://www.postgresql.org/docs/current/protocol-flow.html
func knockOn(ctx context.Context, conn net.Conn) (knocked, error) {
	request, err := (&pgproto3.SSLRequest{}).Encode(nil)
	if err != nil {
		return knocked{}, err
	}
	if _, err := conn.Write(request); err != nil {
		return knocked{}, err
	}
	answer := make([]byte, 1)
	if _, err := conn.Read(answer); err != nil {
		return knocked{}, err
	}
	if answer[0] != 'S' {
		return knocked{}, fmt.Errorf("the server offers no TLS but %q", answer)
	}
	// Whose certificate it is does not matter: no secret is sent, and the
	// caller compares it.
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	if err := secure.HandshakeContext(ctx); err != nil {
		return knocked{}, err
	}
	defer secure.Close() // says goodbye, or the server would log a lost connection
	k := knocked{certificate: secure.ConnectionState().PeerCertificates[0].Raw}
	frontend := pgproto3.NewFrontend(secure, secure)
	frontend.Send(&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersionNumber,
		Parameters:      map[string]string{"user": postgres.GateUser, "database": "postgres", "application_name": application},
	})
	if err := frontend.Flush(); err != nil {
		return knocked{}, err
	}
	message, err := frontend.Receive()
	if err != nil {
		return knocked{}, err
	}
	switch m := message.(type) {
	case *pgproto3.ErrorResponse:
		k.refused = m.Code == invalidAuthorization || m.Code == cannotConnectNow
		if !k.refused {
			return knocked{}, fmt.Errorf("%s (%s)", m.Message, m.Code)
		}
	case *pgproto3.AuthenticationSASL:
	default:
		return knocked{}, fmt.Errorf("the server answers with %T", message)
	}
	return k, nil
}
