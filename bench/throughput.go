package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writers is how many clients commit at the same time.
const writers = 8

// benchThroughput compares the engine under the agent with the same engine
// started by hand on the very same volume with the very same files, in turn.
// Between two of them the Database is deleted and adopted again.
func benchThroughput(ctx context.Context, c *cluster, o options) ([]result, error) {
	var figures []result
	err := c.inNamespace(ctx, func() error {
		for _, e := range o.engines() {
			var ours, bare, ratio []float64
			var rss []float64
			var app map[string][]byte
			for range o.pairs {
				var a, b, memory float64
				underAgent := func() error {
					rate, mb, kept, err := c.underAgent(ctx, e, o.duration/2)
					a, memory, app = a+rate/2, mb, kept
					return err
				}
				byHand := func() error {
					rate, err := c.byHand(ctx, e, app, o.duration/2)
					b += rate / 2
					return err
				}
				// Each comes first once and second once, because the machine's mood
				// drifts and whoever comes second finds logs to use again.
				for _, half := range []func() error{underAgent, byHand, byHand, underAgent} {
					if err := half(); err != nil {
						return err
					}
				}
				fmt.Printf("%s: %.0f commits/s under the agent, %.0f by hand, agent RSS %.1f MB\n", e.name, a, b, memory)
				ours, bare, ratio, rss = append(ours, a), append(bare, b), append(ratio, a/b), append(rss, memory)
			}
			figures = append(figures,
				summarise("throughput_agent", e.name, 1, "commits/s", ours),
				summarise("throughput_bare", e.name, 1, "commits/s", bare),
				summarise("throughput_vs_bare", e.name, 1, "ratio", ratio),
				summarise("agent_rss_mb", e.name, 1, "MB", rss))
		}
		return nil
	})
	return figures, err
}

const benchName = "load"

// underAgent measures the Database, leaves behind what byHand needs and deletes
// it; the claim stays.
func (c *cluster) underAgent(ctx context.Context, e engineBench, length time.Duration) (rate, agentMB float64, app map[string][]byte, err error) {
	name := benchName + "-" + e.name
	db := database(name, e)
	if _, err := c.ready(ctx, db); err != nil {
		return 0, 0, nil, fmt.Errorf("under the agent: %w", err)
	}
	pod := &corev1.Pod{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name + "-0"}, pod); err != nil {
		return 0, 0, nil, fmt.Errorf("reading the member's pod: %w", err)
	}
	if app, err = c.keep(ctx, e, pod); err != nil {
		return 0, 0, nil, err
	}
	if rate, err = commits(ctx, e, pod.Status.PodIP, app, length); err != nil {
		return 0, 0, nil, err
	}
	if agentMB, err = residentMB(pod, "agent"); err != nil {
		return 0, 0, nil, err
	}
	return rate, agentMB, app, c.goneWithPod(ctx, db, pod)
}

// goneWithPod deletes the owner and waits for the pod too, so that the volume
// is free.
func (c *cluster) goneWithPod(ctx context.Context, owner client.Object, pod *corev1.Pod) error {
	if err := c.gone(ctx, owner); err != nil {
		return err
	}
	return poll(ctx, 90*time.Second, pod.Name+" to be gone", func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return err != nil, client.IgnoreNotFound(err)
	})
}

// keep copies the member's rendered files and key pair to objects of our own,
// and returns the application's credentials.
func (c *cluster) keep(ctx context.Context, e engineBench, pod *corev1.Pod) (map[string][]byte, error) {
	script := `cd /run/agent/config && for f in *; do echo "@@@ $f"; cat "$f"; done`
	out, err := exec.CommandContext(ctx, c.tool, "kubectl", "exec", "-n", namespace, pod.Name, "-c", "engine", "--", "sh", "-c", script).Output()
	if err != nil {
		return nil, fmt.Errorf("reading the rendered files: %w", err)
	}
	files := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "files-" + e.name}, Data: map[string]string{}}
	for _, part := range strings.Split(string(out), "@@@ ")[1:] {
		name, content, _ := strings.Cut(part, "\n")
		files.Data[name] = content
	}
	if len(files.Data) == 0 {
		return nil, errors.New("reading the rendered files: there are none")
	}
	var tls, app corev1.Secret
	db := strings.TrimSuffix(pod.Name, "-0")
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: db + "-tls"}, &tls); err != nil {
		return nil, fmt.Errorf("reading the key pair: %w", err)
	}
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: db + "-app"}, &app); err != nil {
		return nil, fmt.Errorf("reading the binding: %w", err)
	}
	pair := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pair-" + e.name}, Data: map[string][]byte{
		"ca.crt": tls.Data["ca.crt"], "tls.crt": tls.Data["0.crt"], "tls.key": tls.Data["0.key"]}}
	for _, object := range []client.Object{files, pair} {
		if err := client.IgnoreNotFound(c.Delete(ctx, object)); err != nil {
			return nil, err
		}
		object.SetResourceVersion("")
		if err := c.Create(ctx, object); err != nil {
			return nil, fmt.Errorf("keeping %s: %w", object.GetName(), err)
		}
	}
	return app.Data, nil
}

// byHand measures the engine on the kept claim without an agent.
func (c *cluster) byHand(ctx context.Context, e engineBench, app map[string][]byte, length time.Duration) (float64, error) {
	name := benchName + "-" + e.name
	mode := int32(0o440)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "bare-" + e.name}, Spec: plainPod(e, e.bare)}
	volume := func(name string, source corev1.VolumeSource, path string) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
		if path != "" {
			mounts := &pod.Spec.Containers[0].VolumeMounts
			*mounts = append(*mounts, corev1.VolumeMount{Name: name, MountPath: path})
		}
	}
	volume("data", corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + name + "-0"}}, "")
	volume("run", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}, "/run")
	volume("files", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "files-" + e.name}}}, "/run/agent/config")
	volume("pair", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "pair-" + e.name, DefaultMode: &mode}}, "/run/agent/tls")
	if err := c.Create(ctx, pod); err != nil {
		return 0, fmt.Errorf("starting the engine by hand: %w", err)
	}
	err := poll(ctx, 2*time.Minute, pod.Name+" to accept a connection", func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(pod), pod)
		return err == nil && pod.Status.PodIP != "" && e.answers(ctx, pod.Status.PodIP), err
	})
	if err != nil {
		return 0, err
	}
	rate, err := commits(ctx, e, pod.Status.PodIP, app, length)
	if err != nil {
		return 0, err
	}
	return rate, c.goneWithPod(ctx, pod, pod)
}

// commits runs the writers for the length and returns acknowledged commits per
// second.
func commits(ctx context.Context, e engineBench, ip string, app map[string][]byte, length time.Duration) (float64, error) {
	pool, err := e.open(ip, app)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	pool.SetMaxIdleConns(writers)
	pool.SetMaxOpenConns(writers)
	// An engine that accepts connections may still recover.
	if err := poll(ctx, time.Minute, "a login", func() (bool, error) { return pool.PingContext(ctx) == nil, nil }); err != nil {
		return 0, err
	}
	for _, statement := range []string{"drop table if exists load_rows", "create table load_rows (id bigint primary key, filler char(80) not null)"} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return 0, fmt.Errorf("%s: %w", statement, err)
		}
	}
	// A tenth of the time warms up and is not counted.
	if _, err := write(ctx, pool, length/10, 0); err != nil {
		return 0, err
	}
	done, err := write(ctx, pool, length, 1<<40)
	return float64(done) / length.Seconds(), err
}

func write(ctx context.Context, pool *sql.DB, length time.Duration, first int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var done atomic.Int64
	next := atomic.Int64{}
	next.Store(first)
	failures := make([]error, writers)
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for ctx.Err() == nil {
				_, err := pool.ExecContext(ctx, fmt.Sprintf("insert into load_rows values (%d, 'filler')", next.Add(1)))
				if err != nil && ctx.Err() == nil {
					failures[i] = fmt.Errorf("writing: %w", err)
					return
				}
				if err == nil {
					done.Add(1)
				}
			}
		})
	}
	group.Wait()
	return done.Load(), errors.Join(failures...)
}
