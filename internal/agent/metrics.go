package agent

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
)

// scrapeLimit bounds what a scrape asks of the engine.
const scrapeLimit = 2 * time.Second

func (m *member) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		writeMetrics(w, append(m.ownSamples(), m.engineSamples(r.Context())...))
	})
	return mux
}

// ownSamples are those of the agent itself.
func (m *member) ownSamples() []engine.Sample {
	s := m.status.Load()
	samples := []engine.Sample{
		{Name: "agent_info", Help: "The agent that serves this page.", Value: 1, Labels: map[string]string{"version": s.AgentVersion}},
		{Name: "engine_info", Help: "The engine's version as it reports itself.", Value: 1, Labels: map[string]string{"version": s.EngineVersion}},
	}
	for _, role := range []string{agentapi.RoleStarting, agentapi.RolePrimary, agentapi.RoleReplica} {
		samples = append(samples, engine.Sample{Name: "role", Help: "1 for the member's role, 0 for the others.",
			Value: truth(s.Role == role), Labels: map[string]string{"role": role}})
	}
	samples = append(samples,
		engine.Sample{Name: "ready", Help: "1 while the member serves clients.", Value: truth(s.Ready)},
		engine.Sample{Name: "term", Help: "The term of the newest record that the member has seen.", Value: float64(s.Term)},
		engine.Sample{Name: "record_version", Help: "The version of the newest record that the member has seen.", Value: float64(s.RecordVersion)},
		engine.Sample{Name: "engine_starts_total", Help: "Engine starts since the agent's own start.", Counter: true, Value: float64(s.EngineStarts)},
	)
	if !s.Certificate.IsZero() {
		samples = append(samples, engine.Sample{Name: "certificate_expiry_timestamp_seconds",
			Help: "When the member's certificate expires.", Value: float64(s.Certificate.Unix())})
	}
	if d := m.lastDisk.Load(); d != nil {
		samples = append(samples,
			engine.Sample{Name: "volume_free_bytes", Help: "Free space on the member's volume.", Value: float64(d.Free)},
			engine.Sample{Name: "volume_size_bytes", Help: "Size of the member's volume.", Value: float64(d.Size)})
	}
	return samples
}

// engineSamples are empty while the engine does not answer.
func (m *member) engineSamples(ctx context.Context) []engine.Sample {
	driver := m.liveDriver.Load()
	if driver == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, scrapeLimit)
	defer cancel()
	samples, err := (*driver).Stats(ctx)
	up := engine.Sample{Name: "engine_up", Help: "1 if the engine answered this scrape.", Value: truth(err == nil)}
	return append([]engine.Sample{up}, samples...)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// writeMetrics writes the text format 0.0.4 of Prometheus: samples of one name
// stand together, below one HELP and one TYPE line.
// https://prometheus.io/docs/instrumenting/exposition_formats/
func writeMetrics(w io.Writer, samples []engine.Sample) {
	var names []string
	byName := map[string][]engine.Sample{}
	for _, s := range samples {
		if byName[s.Name] == nil {
			names = append(names, s.Name)
		}
		byName[s.Name] = append(byName[s.Name], s)
	}
	for _, name := range names {
		group := byName[name]
		kind := "gauge"
		if group[0].Counter {
			kind = "counter"
		}
		fmt.Fprintf(w, "# HELP db_%s %s\n# TYPE db_%s %s\n", name, helpEscape.Replace(group[0].Help), name, kind)
		for _, s := range group {
			fmt.Fprintf(w, "db_%s%s %s\n", name, labels(s.Labels), strconv.FormatFloat(s.Value, 'g', -1, 64))
		}
	}
}

var (
	helpEscape  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func labels(l map[string]string) string {
	if len(l) == 0 {
		return ""
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		pairs = append(pairs, name+`="`+labelEscape.Replace(l[name])+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
