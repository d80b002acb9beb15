export {
  type ClearedAlarm,
  clear as clearAlarms,
  clearLeftOpen as clearAlarmsLeftOpen,
  type RaisedAlarm,
  raise as raiseAlarms,
  refreshLevels as refreshAlarmLevels,
  type SeenAgain,
  type SeenValue,
  seenAgain as seeAlarmsAgain,
  type TouchedAlarm,
} from './alarm-effects.repo.ts'
export type { AlarmLevelsTransfer } from './alarm-levels.transfer.ts'
export { type AlarmsModule, createAlarmsModule } from './alarms.module.ts'
export type { AlarmsService } from './alarms.service.ts'
export { alarmsTools } from './alarms.tools.ts'
export { createObjectAlarms } from './object-alarms.ts'
