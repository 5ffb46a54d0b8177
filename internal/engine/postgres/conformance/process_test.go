//go:build conformance

package conformance

import (
	"crypto/tls"
	"net"
	"os/exec"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/myuser/db-operator/internal/engine/enginetest"
)

// secure asks for TLS as clients do and returns the other side behind it.
func secure(t *testing.T, conn net.Conn, l enginetest.Login) *pgproto3.Frontend {
	t.Helper()
	request, err := (&pgproto3.SSLRequest{}).Encode(nil)
	enginetest.Must(t, err)
	_, err = conn.Write(request)
	enginetest.Must(t, err)
	answer := make([]byte, 1)
	_, err = conn.Read(answer)
	enginetest.Must(t, err)
	client := tls.Client(conn, l.TLS)
	enginetest.Must(t, client.HandshakeContext(t.Context()))
	return pgproto3.NewFrontend(client, client)
}

// startSleeper runs a process that is no server, until the test ends.
func startSleeper(t *testing.T) int {
	t.Helper()
	command := exec.Command("sleep", "600")
	enginetest.Must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill() // a fence may have been quicker
		_ = command.Wait()
	})
	return command.Process.Pid
}
