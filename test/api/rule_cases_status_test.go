//go:build apiserver

package api

import "maps"

func init() { maps.Copy(ruleCases, statusCases) }

// condition is a whole condition but for what a case changes in it; the last
// of two equal keys would not do, since YAML refuses them.
const (
	conditionType    = `type: Ready`
	conditionStatus  = `status: "True"`
	conditionReason  = `reason: Ready`
	conditionMessage = `message: fine`
	conditionTime    = `lastTransitionTime: "2026-01-02T03:04:05Z"`
)

func conditions(fields ...string) string {
	text := `status: {conditions: [{`
	for i, field := range fields {
		if i > 0 {
			text += `, `
		}
		text += field
	}
	return text + `}]}`
}

var goodCondition = conditions(conditionType, conditionStatus, conditionReason, conditionMessage, conditionTime)

var statusCases = map[string]ruleCase{
	"status.phase enum":           {refused: `status: {phase: Fine}`, accepted: `status: {phase: Running}`},
	"status.replicas format":      {refused: `status: {replicas: 4294967297}`, accepted: `status: {replicas: 5}`},
	"status.readyReplicas format": {refused: `status: {readyReplicas: 4294967297}`, accepted: `status: {readyReplicas: 5}`},
	"status.rule.acks format":     {refused: `status: {rule: {acks: 4294967297}}`, accepted: `status: {rule: {acks: 3}}`},
	"status.rule.members unique":  {refused: `status: {rule: {members: [a, a]}}`, accepted: `status: {rule: {members: [a, b]}}`, field: "status.rule.members[1]"},
	"status.members unique":       {refused: `status: {members: [{name: a}, {name: a}]}`, accepted: `status: {members: [{name: a}, {name: b}]}`, field: "status.members[1]"},
	"status.members[] required":   {refused: `status: {members: [{}]}`, accepted: `status: {members: [{name: a}]}`},
	"status.members[].lag enum":   {refused: `status: {members: [{name: a, lag: "3"}]}`, accepted: `status: {members: [{name: a, lag: within}]}`},
	"status.members[].role enum":  {refused: `status: {members: [{name: a, role: leader}]}`, accepted: `status: {members: [{name: a, role: primary}]}`},
	"status.lastSwitchover.time format": {
		refused: `status: {lastSwitchover: {time: yesterday}}`, accepted: `status: {lastSwitchover: {time: "2026-01-02T03:04:05Z"}}`,
	},
	"status.conditions unique": {
		refused: `status: {conditions: [` +
			`{type: A, status: "True", reason: R, message: m, lastTransitionTime: "2026-01-02T03:04:05Z"}, ` +
			`{type: A, status: "True", reason: R, message: m, lastTransitionTime: "2026-01-02T03:04:05Z"}]}`,
		accepted: `status: {conditions: [` +
			`{type: A, status: "True", reason: R, message: m, lastTransitionTime: "2026-01-02T03:04:05Z"}, ` +
			`{type: B, status: "True", reason: R, message: m, lastTransitionTime: "2026-01-02T03:04:05Z"}]}`,
		field: "status.conditions[1]",
	},
	"status.conditions[] required type": {
		refused: conditions(conditionStatus, conditionReason, conditionMessage, conditionTime), accepted: goodCondition,
	},
	"status.conditions[] required status": {
		refused: conditions(conditionType, conditionReason, conditionMessage, conditionTime), accepted: goodCondition,
	},
	"status.conditions[] required reason": {
		refused: conditions(conditionType, conditionStatus, conditionMessage, conditionTime), accepted: goodCondition,
	},
	"status.conditions[] required message": {
		refused: conditions(conditionType, conditionStatus, conditionReason, conditionTime), accepted: goodCondition,
	},
	"status.conditions[] required lastTransitionTime": {
		refused: conditions(conditionType, conditionStatus, conditionReason, conditionMessage), accepted: goodCondition,
	},
	"status.conditions[].lastTransitionTime format": {
		refused: conditions(conditionType, conditionStatus, conditionReason, conditionMessage, `lastTransitionTime: now`), accepted: goodCondition,
	},
	"status.conditions[].message maxLength": {
		refused:  conditions(conditionType, conditionStatus, conditionReason, `message: `+long("a", 32769), conditionTime),
		accepted: conditions(conditionType, conditionStatus, conditionReason, `message: `+long("a", 32768), conditionTime),
	},
	"status.conditions[].observedGeneration minimum": {
		refused:  conditions(conditionType, conditionStatus, conditionReason, conditionMessage, conditionTime, `observedGeneration: -1`),
		accepted: conditions(conditionType, conditionStatus, conditionReason, conditionMessage, conditionTime, `observedGeneration: 0`),
	},
	"status.conditions[].reason minLength": {
		refused: conditions(conditionType, conditionStatus, `reason: ""`, conditionMessage, conditionTime), accepted: goodCondition,
	},
	"status.conditions[].reason maxLength": {
		refused:  conditions(conditionType, conditionStatus, `reason: `+long("R", 1025), conditionMessage, conditionTime),
		accepted: conditions(conditionType, conditionStatus, `reason: `+long("R", 1024), conditionMessage, conditionTime),
	},
	"status.conditions[].reason pattern": {
		refused: conditions(conditionType, conditionStatus, `reason: two words`, conditionMessage, conditionTime), accepted: goodCondition,
	},
	"status.conditions[].status enum": {
		refused:  conditions(conditionType, `status: "Yes"`, conditionReason, conditionMessage, conditionTime),
		accepted: conditions(conditionType, `status: Unknown`, conditionReason, conditionMessage, conditionTime),
	},
	"status.conditions[].type maxLength": {
		refused:  conditions(`type: `+long("T", 317), conditionStatus, conditionReason, conditionMessage, conditionTime),
		accepted: conditions(`type: `+long("T", 316), conditionStatus, conditionReason, conditionMessage, conditionTime),
	},
	"status.conditions[].type pattern": {
		refused: conditions(`type: two words`, conditionStatus, conditionReason, conditionMessage, conditionTime), accepted: goodCondition,
	},
}
