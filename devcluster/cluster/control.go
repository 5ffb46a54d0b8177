package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/myuser/db-operator/devcluster/config"
	"github.com/myuser/db-operator/devcluster/plan"
	"github.com/myuser/db-operator/devcluster/process"
)

// Names of the control plane's processes.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	coreDNS           = "coredns"
	provisioner       = "provisioner"
)

const (
	startTimeout = 90 * time.Second
	pollInterval = 25 * time.Millisecond
)

// startAPI starts etcd and the API server and returns when requests work.
func (c *Cluster) startAPI(ctx context.Context) error {
	if err := c.startControl(etcd, config.Etcd(c.Plan, c.Binary)); err != nil {
		return err
	}
	err := await(ctx, "etcd to serve", func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.EtcdHealth, nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("etcd answers %s", response.Status)
		}
		return nil
	})
	if err != nil {
		return c.explain(etcd, err)
	}
	return c.StartAPIServer(ctx)
}

// StartAPIServer starts the API server and returns when it is ready. It is
// idempotent.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.startControl(apiServer, config.APIServer(c.Plan, c.Binary)); err != nil {
		return err
	}
	client, err := c.Client("admin")
	if err != nil {
		return err
	}
	err = await(ctx, "the API server to be ready", func(ctx context.Context) error {
		if !c.Processes.Alive(apiServer) {
			return fatal{fmt.Errorf("the API server has ended")}
		}
		return client.Get(ctx, "/readyz", nil)
	})
	return c.explain(apiServer, err)
}

// StopAPIServer ends the API server and returns when it is gone. etcd stays. It
// is idempotent.
func (c *Cluster) StopAPIServer(ctx context.Context) error {
	// Open watches keep it from ending in good order.
	return c.Processes.Stop(ctx, apiServer, time.Second)
}

func (c *Cluster) startControllers() error {
	if err := c.startControl(controllerManager, config.ControllerManager(c.Plan, c.Binary)); err != nil {
		return err
	}
	return c.startControl(scheduler, config.Scheduler(c.Plan, c.Binary))
}

// startServices starts DNS and the volume provisioner, which is this program.
func (c *Cluster) startServices() error {
	if err := c.startControl(coreDNS, config.CoreDNS(c.Plan, c.Binary)); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	return c.startControl(provisioner, []string{self, "__provisioner"})
}

func (c *Cluster) startControl(name string, args []string) error {
	_, err := c.Processes.Ensure(process.Spec{
		Name: name, Args: args, Cgroup: plan.ControlGroup, Root: root(), Log: c.Plan.Log(name),
	})
	return err
}

// explain adds the end of a program's log to an error.
func (c *Cluster) explain(program string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n%s ends with:\n%s", err, c.Plan.Log(program), lastLines(c.Plan.Log(program), 8))
}

// fatal is an error after which waiting on makes no sense.
type fatal struct{ error }

// await calls check until it succeeds, at most startTimeout. The error is the
// last one that check gave.
func await(ctx context.Context, what string, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it took more than %s", startTimeout))
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		attempt, done := context.WithTimeout(ctx, 5*time.Second)
		err := check(attempt)
		done()
		if err == nil {
			return nil
		}
		if final, ok := err.(fatal); ok {
			return fmt.Errorf("waiting for %s: %w", what, final.error)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// APIServerAlive tells whether the API server's process runs.
func (c *Cluster) APIServerAlive() bool { return c.Processes.Alive(apiServer) }
