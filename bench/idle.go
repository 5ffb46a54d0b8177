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
)

const (
	operatorNamespace = "db-operator-system"
	auditLog          = "/var/lib/devcluster/control/audit.log"
	// settle is how long nothing may happen before the counting begins, counted
	// how long it goes on.
	settle, counted = time.Minute, 3 * time.Minute
)

// benchIdle measures the operator with one and with many idle Databases.
func benchIdle(ctx context.Context, c *cluster, o options) ([]result, error) {
	var figures []result
	err := c.inNamespace(ctx, func() error {
		made := 0
		for _, total := range []int{1, o.many} {
			for ; made < total; made++ {
				e := engines[made%len(engines)]
				if made > 0 {
					e = engines[0] // many of the smaller engine fit on one machine
				}
				if _, err := c.ready(ctx, database(fmt.Sprintf("idle-%03d", made), e)); err != nil {
					return err
				}
			}
			requests, memory, err := c.watchIdle(ctx)
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

func (c *cluster) watchIdle(ctx context.Context) (requestsPerMinute, operatorMB float64, err error) {
	if err := rest(ctx, settle); err != nil {
		return 0, 0, err
	}
	from := time.Now()
	if err := rest(ctx, counted); err != nil {
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
	return float64(n) / counted.Minutes(), operatorMB, err
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
