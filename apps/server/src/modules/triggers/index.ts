export type { TaskOutcome, TriggerActionPort, TriggerTask } from './action.port.ts'
export type { PostWebhook, SendCommand } from './actions-built-in.ts'
export { fill } from './actions-built-in.ts'
export type { Past } from './dry-run.ts'
export type { ObjectFactsPort } from './object-facts.port.ts'
export {
  type FactRow,
  heldObject,
  holdObject,
  type ObjectTrigger,
  objectTriggers,
  releaseObject,
  takeFacts,
  tellOfObject,
} from './object-facts.repo.ts'
export type { PresetTransfer } from './presets.transfer.ts'
export { type JudgedTrigger, TriggerCatalogue } from './trigger-catalogue.ts'
export {
  forgetSignals,
  insertActions as insertTriggerActions,
  insertRuns as insertTriggerRuns,
  judgeSignals,
  type NewAction,
  type NewRun,
  newSignals,
  pause as pauseTriggers,
  type SignalRow,
  signalsSince,
  tellCleared as tellAlarmsCleared,
} from './trigger-effects.repo.ts'
export type { TriggerTransfer } from './trigger-transfer.ts'
export { createTriggersModule, type TriggersModule } from './triggers.module.ts'
export { triggersTools } from './triggers.tools.ts'
