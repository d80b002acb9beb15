/** Rules over what devices say and do: read them, compile them, judge them. Pure; no clock, no I/O (ADR 47). */
export { type ActedUpTo, type Assignment, TriggerEngine } from './engine.ts'
export { type FencePoint, type FenceProblem, type FenceShape, fencePointOf, fenceProblems, isInFence } from './fence.ts'
export type { Cause, Effect, Input, Position, Target } from './io.ts'
export { type GeneralForm, generalForm } from './kinds.ts'
export type { Seed } from './known-devices.ts'
export { divide, LaneMerge } from './lanes.ts'
export {
  answerOf,
  CARD_SOURCE_STATES,
  OBJECT_SOURCES,
  type ObjectFact,
  type ObjectKind,
  type ObjectSource,
} from './object-source.ts'
export { parseRule, type RuleResult } from './parse.ts'
export { CONDITION_TYPES, isMomentary } from './parse-condition.ts'
export { RULE_PROBLEM_CODES, type RuleProblem } from './problems.ts'
export { type CompileResult, compileRule, type Program, propertyOf, type Rule, type Surroundings } from './program.ts'
export * from './rule.ts'
export { type Calendar, Schedule } from './schedule.ts'
export { SNAPSHOT_FORMAT, type Snapshot } from './snapshot.ts'
export type { SnapshotPass } from './snapshot-pass.ts'
