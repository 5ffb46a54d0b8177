//go:build apiserver

package api

import (
	"fmt"
	"strings"
)

// ruleCase shows one rule at work: a change to the base document that it
// refuses, and a near one that it accepts.
type ruleCase struct {
	refused, accepted string
	// before is what the object was when the change comes as an update.
	before string
	// field is where the refusal points, where that is not the rule's own path.
	field string
	// says is what the refusal tells, where that is not the rule's message.
	says string
}

// ruleCases are keyed by the beginning of what rulesOf says of a rule.
var ruleCases = map[string]ruleCase{
	"metadata.name becomes": {
		refused: `metadata: {name: 1st}`, accepted: `metadata: {name: first-1}`, field: "<nil>",
	},
	"metadata.name is part": {
		refused:  `metadata: {name: ` + long("a", 46) + `}`,
		accepted: `metadata: {name: ` + long("a", 45) + `}`, field: "<nil>",
	},
	"required spec": {refused: `spec: null`, accepted: `{}`},

	"spec required engine":  {refused: `spec: {engine: null}`, accepted: `spec: {engine: mysql}`},
	"spec required version": {refused: `spec: {version: null}`, accepted: `spec: {version: "18"}`},
	"spec the storage class": {
		before: `spec: {storageClassName: a}`, refused: `spec: {storageClassName: b}`,
		accepted: `spec: {storageClassName: a, replicas: 2}`, field: "spec.storageClassName",
	},
	"spec.engine enum": {refused: `spec: {engine: postgresql}`, accepted: `spec: {engine: postgres}`},
	"spec.engine the engine": {
		before: `spec: {engine: mysql}`, refused: `spec: {engine: postgres}`, accepted: `spec: {engine: mysql, version: "9.7"}`,
	},
	"spec.version maxLength": {
		refused: `spec: {version: "1000.1000.1000.10000"}`, accepted: `spec: {version: "1000.1000.1000.1000"}`,
	},
	"spec.version write digits": {refused: `spec: {version: 17-bookworm}`, accepted: `spec: {version: "26.10"}`},
	"spec.replicas minimum":     {refused: `spec: {replicas: 0}`, accepted: `spec: {replicas: 1}`},
	"spec.replicas maximum":     {refused: `spec: {replicas: 6}`, accepted: `spec: {replicas: 5}`},
	"spec.replicas format":      {refused: `spec: {replicas: 4294967297}`, accepted: `spec: {replicas: 2}`},
	"spec.storage maxLength": {
		refused: `spec: {storage: ` + long("1", 31) + `Mi}`, accepted: `spec: {storage: ` + long("0", 26) + `1024Mi}`,
	},
	"spec.storage write a size": {refused: `spec: {storage: "50"}`, accepted: `spec: {storage: "100Mi"}`},
	"spec.storageClassName maxLength": {
		refused: `spec: {storageClassName: ` + long("a", 254) + `}`, accepted: `spec: {storageClassName: ` + long("a", 253) + `}`,
	},
	"spec.storageClassName write the name": {
		refused: `spec: {storageClassName: Fast}`, accepted: `spec: {storageClassName: fast.ssd-2}`,
	},
	"spec.image minLength": {refused: `spec: {image: ""}`, accepted: `spec: {image: "a:1"}`},
	"spec.image maxLength": {
		refused: `spec: {image: "` + long("a", 511) + `:1"}`, accepted: `spec: {image: "` + long("a", 510) + `:1"}`,
	},
	"spec.image write an image": {
		refused: `spec: {image: registry.example.com/team/server}`, accepted: `spec: {image: "registry.example.com:5000/team/server:17.12@sha256:` + long("a", 64) + `"}`,
	},
	"spec.imagePullSecrets maxItems": {
		refused:  `spec: {imagePullSecrets: [` + numbered(17, `{name: s%d}`) + `]}`,
		accepted: `spec: {imagePullSecrets: [` + numbered(16, `{name: s%d}`) + `]}`,
	},
	"spec.imagePullSecrets unique": {
		refused: `spec: {imagePullSecrets: [{name: a}, {name: a}]}`, accepted: `spec: {imagePullSecrets: [{name: a}, {name: b}]}`,
		field: "spec.imagePullSecrets[1]",
	},
	"spec.imagePullSecrets[] required": {refused: `spec: {imagePullSecrets: [{}]}`, accepted: `spec: {imagePullSecrets: [{name: a}]}`},
	"spec.imagePullSecrets[].name maxLength": {
		refused:  `spec: {imagePullSecrets: [{name: ` + long("a", 254) + `}]}`,
		accepted: `spec: {imagePullSecrets: [{name: ` + long("a", 253) + `}]}`,
	},
	"spec.imagePullSecrets[].name write": {
		refused: `spec: {imagePullSecrets: [{name: Registry}]}`, accepted: `spec: {imagePullSecrets: [{name: registry.1}]}`,
	},

	"spec.resources a request": {
		refused:  `spec: {resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}`,
		accepted: `spec: {resources: {requests: {memory: 1Gi, cpu: 1}, limits: {memory: 1024Mi}}}`,
	},
	"spec.resources.requests maxProperties": {
		refused:  `spec: {resources: {requests: {` + numbered(9, `"example.org/r%d": 1`) + `}}}`,
		accepted: `spec: {resources: {requests: {` + numbered(8, `"example.org/r%d": 1`) + `}}}`,
	},
	"spec.resources.requests resources": {
		refused: `spec: {resources: {requests: {mem: 1Gi}}}`, accepted: `spec: {resources: {requests: {memory: 1Gi, hugepages-2Mi: 4Mi}}}`,
	},
	"spec.resources.requests{} pattern": {
		refused: `spec: {resources: {requests: {memory: 1GB}}}`, accepted: `spec: {resources: {requests: {memory: 1G}}}`, field: "spec.resources.requests.memory",
	},
	"spec.resources.limits maxProperties": {
		refused:  `spec: {resources: {limits: {` + numbered(9, `"example.org/r%d": 1`) + `}}}`,
		accepted: `spec: {resources: {limits: {` + numbered(8, `"example.org/r%d": 1`) + `}}}`,
	},
	"spec.resources.limits resources": {
		refused: `spec: {resources: {limits: {mem: 1Gi}}}`, accepted: `spec: {resources: {limits: {memory: 1Gi, ephemeral-storage: 1Gi}}}`,
	},
	"spec.resources.limits{} pattern": {
		refused: `spec: {resources: {limits: {memory: 1GB}}}`, accepted: `spec: {resources: {limits: {memory: 1G}}}`, field: "spec.resources.limits.memory",
	},

	"spec.parameters write a setting's name": {
		refused: `spec: {parameters: {max-connections: "9"}}`, accepted: `spec: {parameters: {max_connections: "9", pg_stat_statements.max: "9"}}`,
	},
	"spec.parameters loose_": {refused: `spec: {parameters: {loose_foo: "1"}}`, accepted: `spec: {parameters: {loosely: "1"}}`},
	"spec.parameters remove": {
		refused: `spec: {parameters: {fsync: "off"}}`, accepted: `spec: {parameters: {commit_delay: "9"}}`, says: "remove fsync: the operator itself sets it",
	},
	"spec.parameters maxProperties": {
		refused:  `spec: {parameters: {` + numbered(101, `p%d: "1"`) + `}}`,
		accepted: `spec: {parameters: {` + numbered(100, `p%d: "1"`) + `}}`,
	},
	"spec.parameters{} maxLength": {
		refused: `spec: {parameters: {work_mem: "` + long("1", 2049) + `"}}`, accepted: `spec: {parameters: {work_mem: "` + long("1", 2048) + `"}}`, field: "spec.parameters.work_mem",
	},
	"spec.parameters{} write the value": {
		refused: `spec: {parameters: {work_mem: "4MB\nfsync = off"}}`, accepted: `spec: {parameters: {search_path: "\"$user\", public"}}`, field: "spec.parameters[work_mem]",
	},

	"spec.podMetadata.labels a label's name": {
		refused: `spec: {podMetadata: {labels: {"a/b/c": x}}}`, accepted: `spec: {podMetadata: {labels: {"a.example.org/Team_1": x}}}`,
	},
	"spec.podMetadata.labels app.kubernetes.io/name": {
		refused: `spec: {podMetadata: {labels: {app.kubernetes.io/name: x}}}`, accepted: `spec: {podMetadata: {labels: {app.kubernetes.io/part-of: x}}}`,
	},
	"spec.podMetadata.labels maxProperties": {
		refused:  `spec: {podMetadata: {labels: {` + numbered(51, `l%d: x`) + `}}}`,
		accepted: `spec: {podMetadata: {labels: {` + numbered(50, `l%d: x`) + `}}}`,
	},
	"spec.podMetadata.labels{} a label's value": {
		refused: `spec: {podMetadata: {labels: {a: "two words"}}}`, accepted: `spec: {podMetadata: {labels: {a: ""}}}`, field: "spec.podMetadata.labels[a]",
	},
	"spec.podMetadata.labels{} maxLength": {
		refused:  `spec: {podMetadata: {labels: {a: ` + long("x", 64) + `}}}`,
		accepted: `spec: {podMetadata: {labels: {a: ` + long("x", 63) + `}}}`, field: "spec.podMetadata.labels.a",
	},
	"spec.podMetadata.annotations an annotation's name": {
		refused: `spec: {podMetadata: {annotations: {"Example.org/a": x}}}`, accepted: `spec: {podMetadata: {annotations: {"example.org/A": x}}}`,
	},
	"spec.podMetadata.annotations names that begin": {
		refused: `spec: {podMetadata: {annotations: {example.com/restart: x}}}`, accepted: `spec: {podMetadata: {annotations: {db.example.com/restart: x}}}`,
	},
	"spec.podMetadata.annotations maxProperties": {
		refused:  `spec: {podMetadata: {annotations: {` + numbered(51, `l%d: x`) + `}}}`,
		accepted: `spec: {podMetadata: {annotations: {` + numbered(50, `l%d: x`) + `}}}`,
	},
	"spec.podMetadata.annotations{} maxLength": {
		refused:  `spec: {podMetadata: {annotations: {a: ` + long("x", 4097) + `}}}`,
		accepted: `spec: {podMetadata: {annotations: {a: ` + long("x", 4096) + `}}}`, field: "spec.podMetadata.annotations.a",
	},

	"spec.failover.profile enum":  {refused: `spec: {failover: {profile: slow}}`, accepted: `spec: {failover: {profile: standard}}`},
	"spec.durability.onLoss enum": {refused: `spec: {durability: {onLoss: stop}}`, accepted: `spec: {durability: {onLoss: block}}`},

	"spec.service.type enum":           {refused: `spec: {service: {type: ExternalName}}`, accepted: `spec: {service: {type: LoadBalancer}}`},
	"spec.service.ipFamilyPolicy enum": {refused: `spec: {service: {ipFamilyPolicy: DualStack}}`, accepted: `spec: {service: {ipFamilyPolicy: RequireDualStack}}`},
	"spec.service.annotations an annotation's name": {
		refused: `spec: {service: {annotations: {"a b": x}}}`, accepted: `spec: {service: {annotations: {"a.b": x}}}`,
	},
	"spec.service.annotations names that begin": {
		refused: `spec: {service: {annotations: {example.com/term: x}}}`, accepted: `spec: {service: {annotations: {term: x}}}`,
	},
	"spec.service.annotations maxProperties": {
		refused:  `spec: {service: {annotations: {` + numbered(51, `l%d: x`) + `}}}`,
		accepted: `spec: {service: {annotations: {` + numbered(50, `l%d: x`) + `}}}`,
	},
	"spec.service.annotations{} maxLength": {
		refused:  `spec: {service: {annotations: {a: ` + long("x", 4097) + `}}}`,
		accepted: `spec: {service: {annotations: {a: ` + long("x", 4096) + `}}}`, field: "spec.service.annotations.a",
	},
}

// long is text of n characters.
func long(text string, n int) string { return strings.Repeat(text, n) }

// numbered is n items of a flow sequence or mapping.
func numbered(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(items, ", ")
}
