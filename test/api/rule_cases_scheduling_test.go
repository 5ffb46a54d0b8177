//go:build apiserver

package api

import "maps"

func init() { maps.Copy(ruleCases, schedulingCases) }

const spread = `topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule`

var schedulingCases = map[string]ruleCase{
	"spec.scheduling.nodeSelector a label's name": {
		refused: `spec: {scheduling: {nodeSelector: {"-a": x}}}`, accepted: `spec: {scheduling: {nodeSelector: {kubernetes.io/arch: amd64}}}`,
	},
	"spec.scheduling.nodeSelector maxProperties": {
		refused:  `spec: {scheduling: {nodeSelector: {` + numbered(51, `l%d: x`) + `}}}`,
		accepted: `spec: {scheduling: {nodeSelector: {` + numbered(50, `l%d: x`) + `}}}`,
	},
	"spec.scheduling.nodeSelector{} a label's value": {
		refused: `spec: {scheduling: {nodeSelector: {a: x/y}}}`, accepted: `spec: {scheduling: {nodeSelector: {a: x_y}}}`, field: "spec.scheduling.nodeSelector[a]",
	},
	"spec.scheduling.nodeSelector{} maxLength": {
		refused:  `spec: {scheduling: {nodeSelector: {a: ` + long("x", 64) + `}}}`,
		accepted: `spec: {scheduling: {nodeSelector: {a: ` + long("x", 63) + `}}}`, field: "spec.scheduling.nodeSelector.a",
	},
	"spec.scheduling.priorityClassName minLength": {
		refused: `spec: {scheduling: {priorityClassName: ""}}`, accepted: `spec: {scheduling: {priorityClassName: a}}`,
	},
	"spec.scheduling.priorityClassName maxLength": {
		refused:  `spec: {scheduling: {priorityClassName: ` + long("a", 254) + `}}`,
		accepted: `spec: {scheduling: {priorityClassName: ` + long("a", 253) + `}}`,
	},
	"spec.scheduling.priorityClassName write": {
		refused: `spec: {scheduling: {priorityClassName: High}}`, accepted: `spec: {scheduling: {priorityClassName: high-1}}`,
	},

	"spec.scheduling.tolerations maxItems": {
		refused:  `spec: {scheduling: {tolerations: [` + numbered(33, `{key: k%d}`) + `]}}`,
		accepted: `spec: {scheduling: {tolerations: [` + numbered(32, `{key: k%d}`) + `]}}`,
	},
	"spec.scheduling.tolerations[] without a key": {
		refused: `spec: {scheduling: {tolerations: [{effect: NoSchedule}]}}`, accepted: `spec: {scheduling: {tolerations: [{operator: Exists, effect: NoSchedule}]}}`,
	},
	"spec.scheduling.tolerations[] operator Exists": {
		refused:  `spec: {scheduling: {tolerations: [{key: a, operator: Exists, value: x}]}}`,
		accepted: `spec: {scheduling: {tolerations: [{key: a, operator: Equal, value: x}]}}`,
	},
	"spec.scheduling.tolerations[] tolerationSeconds": {
		refused:  `spec: {scheduling: {tolerations: [{key: a, effect: NoSchedule, tolerationSeconds: 9}]}}`,
		accepted: `spec: {scheduling: {tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 9}]}}`,
	},
	"spec.scheduling.tolerations[].effect enum": {
		refused: `spec: {scheduling: {tolerations: [{key: a, effect: Never}]}}`, accepted: `spec: {scheduling: {tolerations: [{key: a, effect: PreferNoSchedule}]}}`,
	},
	"spec.scheduling.tolerations[].operator enum": {
		refused: `spec: {scheduling: {tolerations: [{key: a, operator: In}]}}`, accepted: `spec: {scheduling: {tolerations: [{key: a, operator: Exists}]}}`,
	},
	"spec.scheduling.tolerations[].key maxLength": {
		refused:  `spec: {scheduling: {tolerations: [{key: ` + long("a", 318) + `}]}}`,
		accepted: `spec: {scheduling: {tolerations: [{key: ` + long("a", 317) + `}]}}`,
	},
	"spec.scheduling.tolerations[].value maxLength": {
		refused:  `spec: {scheduling: {tolerations: [{key: a, value: ` + long("x", 64) + `}]}}`,
		accepted: `spec: {scheduling: {tolerations: [{key: a, value: ` + long("x", 63) + `}]}}`,
	},

	"spec.scheduling.topologySpreadConstraints maxItems": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [` + numbered(9, `{topologyKey: k%d, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}`) + `]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [` + numbered(8, `{topologyKey: k%d, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}`) + `]}}`,
	},
	"spec.scheduling.topologySpreadConstraints unique": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}, {` + spread + `}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}, {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]}}`,
		field:    "spec.scheduling.topologySpreadConstraints[1]",
	},
	"spec.scheduling.topologySpreadConstraints[] required maxSkew": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[] required topologyKey": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[] required whenUnsatisfiable": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[] minDomains": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, minDomains: 2}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, minDomains: 2}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].maxSkew minimum": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 0, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].maxSkew format": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 4294967297, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 2147483647, whenUnsatisfiable: DoNotSchedule}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].minDomains minimum": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, minDomains: 0}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, minDomains: 1}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].minDomains format": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, minDomains: 4294967297}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, minDomains: 2147483647}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].topologyKey minLength": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: "", maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].topologyKey maxLength": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: ` + long("a", 318) + `, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: ` + long("a", 317) + `, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].whenUnsatisfiable enum": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: Never}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].nodeAffinityPolicy enum": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, nodeAffinityPolicy: Maybe}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, nodeAffinityPolicy: Ignore}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].nodeTaintsPolicy enum": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, nodeTaintsPolicy: Maybe}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, nodeTaintsPolicy: Honor}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].matchLabelKeys maxItems": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, matchLabelKeys: [` + numbered(17, `k%d`) + `]}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, matchLabelKeys: [` + numbered(16, `k%d`) + `]}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].labelSelector.matchExpressions[] required key": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, labelSelector: {matchExpressions: [{operator: Exists}]}}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, labelSelector: {matchExpressions: [{key: a, operator: Exists}]}}]}}`,
	},
	"spec.scheduling.topologySpreadConstraints[].labelSelector.matchExpressions[] required operator": {
		refused:  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, labelSelector: {matchExpressions: [{key: a}]}}]}}`,
		accepted: `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, labelSelector: {matchExpressions: [{key: a, operator: Exists}]}}]}}`,
	},
}
