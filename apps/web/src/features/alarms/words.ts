import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { epochOf, formatDuration, formatNumber } from '../../lib/format.ts'

/** How long an alarm has lasted, or lasted until it was cleared, in ms. */
export function lengthOf(alarm: Pick<AlarmView, 'raisedAt' | 'clearedAt'>, now: number): number {
  const from = epochOf(alarm.raisedAt) ?? now
  return Math.max(0, (epochOf(alarm.clearedAt) ?? now) - from)
}

/** The same in words. */
export function lengthText(alarm: Pick<AlarmView, 'raisedAt' | 'clearedAt'>, now: number): string {
  return formatDuration(lengthOf(alarm, now))
}

/** What an alarm is about: its device, card, gateway or camera, or the name of its trigger where it stands for a whole scope. */
export function targetName(
  alarm: Pick<AlarmView, 'deviceName' | 'deviceNo' | 'triggerName'> & { target?: { name?: string } },
): string {
  return alarm.deviceName ?? alarm.deviceNo ?? alarm.target?.name ?? alarm.triggerName
}

/** A judged value as text: numbers grouped, anything that is no single value as JSON. */
export function valueText(value: unknown, unit = ''): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number') return formatNumber(value, unit ? { unit } : {})
  if (typeof value === 'string') return unit ? `${value} ${unit}` : value
  if (typeof value === 'boolean') return String(value)
  return JSON.stringify(value)
}

/** Which of the actions on an alarm still change something. */
export function actionsOf(alarm: Pick<AlarmView, 'active' | 'acknowledged' | 'work' | 'shelvedUntil'>) {
  const open = alarm.work === 'open' || alarm.work === 'in_progress'
  return {
    ack: !alarm.acknowledged,
    clear: alarm.active,
    assign: open,
    handle: open,
    ignore: open,
    shelve: alarm.active && alarm.shelvedUntil === null,
    unshelve: alarm.shelvedUntil !== null,
    reopen: !open,
  }
}
