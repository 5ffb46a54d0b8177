package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// benchCreate times create→Ready beside the floor, in turn, so that both meet
// the machine in the same mood.
func benchCreate(ctx context.Context, c *cluster, o options) ([]result, error) {
	var figures []result
	err := c.inNamespace(ctx, func() error {
		for _, e := range o.engines() {
			var ours, floor, ratio []float64
			for i := range o.runs {
				took, err := c.createOurs(ctx, fmt.Sprintf("create-%s-%d", e.name, i), e)
				if err != nil {
					return err
				}
				least, err := c.createFloor(ctx, fmt.Sprintf("floor-%s-%d", e.name, i), e)
				if err != nil {
					return err
				}
				fmt.Printf("%s: Ready after %s, floor %s\n", e.name, took.Round(time.Millisecond), least.Round(time.Millisecond))
				ours, floor = append(ours, took.Seconds()), append(floor, least.Seconds())
				ratio = append(ratio, took.Seconds()/least.Seconds())
			}
			figures = append(figures,
				summarise("create_ready_s", e.name, 1, "s", ours),
				summarise("create_floor_s", e.name, 1, "s", floor),
				summarise("create_ready_vs_floor", e.name, 1, "ratio", ratio))
		}
		return nil
	})
	return figures, err
}

func (c *cluster) createOurs(ctx context.Context, name string, e engineBench) (time.Duration, error) {
	db := database(name, e)
	took, err := c.ready(ctx, db)
	if err != nil {
		return 0, err
	}
	return took, c.gone(ctx, db)
}

func (c *cluster) createFloor(ctx context.Context, name string, e engineBench) (time.Duration, error) {
	set := plainSet(name, e, e.floor)
	if err := c.Create(ctx, set); err != nil {
		return 0, fmt.Errorf("creating the floor: %w", err)
	}
	start := time.Now()
	pod := &corev1.Pod{}
	err := poll(ctx, 3*time.Minute, name+" to accept a connection", func() (bool, error) {
		err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name + "-0"}, pod)
		return err == nil && pod.Status.PodIP != "" && e.answers(ctx, pod.Status.PodIP), client.IgnoreNotFound(err)
	})
	if err != nil {
		return 0, err
	}
	return time.Since(start), c.gone(ctx, set)
}
