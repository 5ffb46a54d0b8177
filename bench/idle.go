package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

const (
	operatorNamespace = "db-operator-system"
	auditLog          = "/var/lib/devcluster/control/audit.log"
)

// benchIdle measures the operator with one and with many idle Databases.
func benchIdle(ctx context.Context, c *cluster, o options) ([]result, error) {
	var figures []result
	err := c.inNamespace(ctx, func() error {
		made := 0
		for _, total := range []int{1, o.many} {
			// All of the smaller engine: many of it fit on one machine.
			if err := c.createAll(ctx, made, total, engines[0]); err != nil {
				return err
			}
			made = total
			requests, memory, err := c.watchIdle(ctx, o)
			if err != nil {
				return err
			}
			fmt.Printf("%d Databases: operator %.1f MB, %.1f requests a minute\n", total, memory, requests)
			figures = append(figures,
				summarise("operator_rss_mb", "", total, "MB", []float64{memory}),
				summarise("operator_idle_requests_per_min", "", total, "requests/min", []float64{requests}))
		}
		return nil
	})
	return figures, err
}

// createAll makes Databases number from up to to at once and waits for all.
func (c *cluster) createAll(ctx context.Context, from, to int, e engineBench) error {
	start := time.Now()
	for i := from; i < to; i++ {
		if err := c.Create(ctx, database(fmt.Sprintf("idle-%03d", i), e)); err != nil {
			return fmt.Errorf("creating Database %d: %w", i, err)
		}
	}
	err := poll(ctx, 10*time.Minute, "all Databases to be Ready", func() (bool, error) {
		var all dbv1.DatabaseList
		if err := c.List(ctx, &all, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		ready := 0
		for _, db := range all.Items {
			if db.Status.Ready {
				ready++
			}
		}
		return ready == to, nil
	})
	fmt.Printf("Databases %d to %d Ready after %s\n", from+1, to, time.Since(start).Round(time.Second))
	return err
}

func (c *cluster) watchIdle(ctx context.Context, o options) (requestsPerMinute, operatorMB float64, err error) {
	if err := rest(ctx, o.settle); err != nil {
		return 0, 0, err
	}
	from := time.Now()
	if err := rest(ctx, o.counted); err != nil {
		return 0, 0, err
	}
	n, err := countRequests(from, time.Now())
	if err != nil {
		return 0, 0, err
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace(operatorNamespace)); err != nil {
		return 0, 0, fmt.Errorf("looking for the operator: %w", err)
	}
	if len(pods.Items) != 1 {
		return 0, 0, fmt.Errorf("looking for the operator: %d pods, want 1", len(pods.Items))
	}
	operatorMB, err = residentMB(&pods.Items[0], "manager")
	return float64(n) / o.counted.Minutes(), operatorMB, err
}

func rest(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// countRequests reads the audit log: requests of the operator's account that
// were received in the interval. A watch counts once, when it begins.
func countRequests(from, to time.Time) (int, error) {
	f, err := os.Open(auditLog)
	if err != nil {
		return 0, fmt.Errorf("reading the audit log: %w", err)
	}
	defer f.Close()
	n := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			User  struct{ Username string }
			Time  time.Time `json:"requestReceivedTimestamp"`
			Stage string
			Verb  string
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return 0, fmt.Errorf("reading the audit log: %w", err)
		}
		ours := strings.HasPrefix(event.User.Username, "system:serviceaccount:"+operatorNamespace+":")
		started := event.Stage == "ResponseStarted" || event.Verb != "watch"
		if ours && started && event.Time.After(from) && event.Time.Before(to) {
			n++
		}
	}
	return n, lines.Err()
}
