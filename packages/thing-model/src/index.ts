/** The thing model: read it, compare it, check values against it. Pure; no I/O. */
export { type CompiledModel, compileModel, type EventCheck, type EventPick } from './compile.ts'
export { defaultValue } from './default-value.ts'
export { describeType } from './describe.ts'
export { type BreakingReason, diffModels, type FeatureKind, type ModelChange, type ModelDiff } from './diff.ts'
export { isIdentifier, isReservedIdentifier } from './identifier.ts'
export { guessType, type Loosened, loosen } from './loosen.ts'
export {
  alongLine,
  isRawKey,
  MASK,
  mapDown,
  mapNumber,
  maskSecrets,
  RAW_SUFFIX,
  rawKey,
  reversed,
} from './mapping.ts'
export { type MergeMode, mergeModels } from './merge.ts'
export * from './model.ts'
export {
  applyOverlay,
  type ModelOverlay,
  OVERLAY_FIELDS,
  type OverlayChange,
  type OverlayResult,
  overlaySize,
  parseOverlay,
} from './overlay.ts'
export { type ParseResult, parseModel } from './parse.ts'
export { holdsPassword, isNumeric } from './parse-policies.ts'
export { MOST_FAULTS, type Picked } from './pick.ts'
export type { ModelPolicies, PropertyPolicy } from './policies.ts'
export { MAX_PROBLEMS, type ModelProblem, PROBLEM_CODES, type ProblemCode } from './problems.ts'
export type { Accepted, CheckResult, RefusalReason, Refused } from './refusal.ts'
export {
  SENSOR_KINDS,
  type SensorKind,
  type SensorKindName,
  sensorKind,
  sensorKindOf,
  sensorKinds,
} from './sensor-kinds.ts'
export { isStorableText } from './text.ts'
export { type Dropped, fromTsl, isTsl, toTsl } from './tsl.ts'
