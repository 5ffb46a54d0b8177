package kubetest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/myuser/db-operator/config/crd"
)

const (
	// A loaded two-core machine needs some 15 s; the rest is for a worse one.
	startTimeout = 2 * time.Minute
	// kube-apiserver waits for its own requests to end.
	stopTimeout = time.Minute
)

// Server is one API server with its etcd.
type Server struct {
	// Config is that of a user in system:masters, without client-side
	// throttling worth speaking of.
	Config *rest.Config
	// Programs is the folder with kubectl, of the same version.
	Programs string
	// Kubeconfig is a file for kubectl, removed by Stop.
	Kubeconfig string

	env *envtest.Environment
}

// Start starts a server and installs the kind Database. It blocks until both
// are served, for at most some minutes. The caller stops it.
func Start() (*Server, error) {
	dir, err := Programs()
	if err != nil {
		return nil, fmt.Errorf("looking for the API server: %w", err)
	}
	env := &envtest.Environment{
		BinaryAssetsDirectory:    dir,
		ControlPlaneStartTimeout: startTimeout,
		ControlPlaneStopTimeout:  stopTimeout,
		CRDs:                     []*apiextensions.CustomResourceDefinition{crd.Definition()},
	}
	// Tests share the machine's disk, and durability is not what they test.
	env.ControlPlane.Etcd = &envtest.Etcd{}
	env.ControlPlane.Etcd.Configure().Append("unsafe-no-fsync")
	var log bytes.Buffer
	env.ControlPlane.GetAPIServer().Err = &log

	config, err := env.Start()
	server := &Server{Config: config, Programs: dir, env: env}
	if err == nil {
		err = server.writeKubeconfig()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the API server of %s: %w\n%s", dir, err, tail(log.Bytes())), env.Stop())
	}
	return server, nil
}

// Stop ends both programs. It blocks for some seconds.
func (s *Server) Stop() error {
	if err := os.Remove(s.Kubeconfig); err != nil {
		return fmt.Errorf("stopping the API server: %w", err)
	}
	if err := s.env.Stop(); err != nil {
		return fmt.Errorf("stopping the API server: %w", err)
	}
	return nil
}

func (s *Server) writeKubeconfig() error {
	file, err := os.CreateTemp("", "kubeconfig-")
	if err != nil {
		return fmt.Errorf("making the kubeconfig: %w", err)
	}
	defer file.Close()
	s.Kubeconfig = file.Name()
	if _, err := file.Write(s.env.KubeConfig); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}

// tail keeps the end of a log, where the cause of an early exit stands.
func tail(log []byte) []byte {
	const most = 4000
	if len(log) > most {
		return log[len(log)-most:]
	}
	return log
}

// Run is the body of a TestMain: it starts a server, hands it to use, runs the
// package's tests and stops the server. It returns the exit code.
func Run(m *testing.M, use func(*Server)) int {
	server, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	use(server)
	code := m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
