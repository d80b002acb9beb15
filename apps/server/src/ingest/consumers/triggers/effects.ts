import type { Effect } from '@thingwright/rules'
import type pg from 'pg'
import { newId } from '../../../lib/ids.ts'
import {
  type ClearedAlarm,
  clearAlarms,
  type RaisedAlarm,
  raiseAlarms,
  refreshAlarmLevels,
  type SeenAgain,
  type SeenValue,
  seeAlarmsAgain,
  type TouchedAlarm,
} from '../../../modules/alarms/index.ts'
import {
  insertTriggerActions,
  insertTriggerRuns,
  type JudgedTrigger,
  type NewAction,
  type NewRun,
  pauseTriggers,
  type TriggerCatalogue,
  tellAlarmsCleared,
} from '../../../modules/triggers/index.ts'

/** What a transaction wrote; the news after its commit is made from it. */
export interface Written {
  alarms: TouchedAlarm[]
  levels: { device: number; level: number }[]
  /** Something waits to be done. */
  hasActions: boolean
  paused: string[]
}

/** Effects that may be written together: of each trigger and target at most one change of its alarm. */
interface Wave {
  keys: Set<string>
  raised: RaisedAlarm[]
  again: SeenAgain[]
  cleared: ClearedAlarm[]
  runs: NewRun[]
  actions: NewAction[]
  paused: string[]
  clearedOthers: { tenantId: string; triggerId: string; device: number | null }[]
}

const newWave = (): Wave => ({
  keys: new Set(),
  raised: [],
  again: [],
  cleared: [],
  runs: [],
  actions: [],
  paused: [],
  clearedOthers: [],
})

/** Of the alarm that a trigger set itself off; its own alarm has -1, those that its actions raise have their place. */
const LOOP_SLOT = -2
const LOOP_LEVEL = 4

/** Writes what follows from judging, in order, in the transaction of the cursor. */
export async function writeEffects(
  client: pg.ClientBase,
  effects: readonly Effect[],
  catalogue: Pick<TriggerCatalogue, 'device' | 'about'>,
  now: number,
): Promise<Written> {
  const written: Written = { alarms: [], levels: [], hasActions: false, paused: [] }
  let wave = newWave()
  const flush = async () => {
    await writeWave(client, wave, written)
    wave = newWave()
  }
  for (const effect of effects) {
    const trigger = catalogue.about(effect.rule)
    if (!trigger) continue
    const key = `${effect.rule}/${effect.target}`
    const changes = effect.kind === 'raised' || effect.kind === 'repeated' || effect.kind === 'cleared'
    if (changes && wave.keys.has(key)) await flush()
    if (changes) wave.keys.add(key)
    const isNew = addTo(wave, effect, trigger, catalogue, now)
    // A new alarm in place of the one before: that one has to be closed first.
    if (isNew) {
      await flush()
      wave.raised.push(isNew)
      wave.keys.add(key)
    }
  }
  await flush()
  const devices = [...new Set(written.alarms.flatMap(({ device }) => device ?? []))].sort((a, b) => a - b)
  written.levels = await refreshAlarmLevels(client, devices)
  return written
}

/** @returns an alarm that is to be raised after everything so far */
function addTo(
  wave: Wave,
  effect: Effect,
  trigger: JudgedTrigger,
  catalogue: Pick<TriggerCatalogue, 'device'>,
  now: number,
): RaisedAlarm | undefined {
  const { cause, target } = effect
  const idOf = (num: number) => catalogue.device(num)?.id ?? null
  const values: SeenValue[] = cause.values.map(({ device, property, value, ts }) => ({
    deviceId: idOf(device),
    property,
    value,
    ts,
  }))
  const deviceId = target === 'scope' ? null : idOf(target)
  const about = {
    tenantId: trigger.tenantId,
    triggerId: trigger.id,
    targetKind: target === 'scope' ? ('scope' as const) : ('device' as const),
    targetId: target === 'scope' ? trigger.id : (deviceId ?? String(target)),
    at: cause.at,
    values,
  }
  const alarm = (origin: string, slot: number, level: number, name = trigger.name): RaisedAlarm => ({
    ...about,
    id: newId(),
    triggerName: name,
    origin,
    slot,
    device: target === 'scope' ? null : target,
    deviceId,
    level,
    peak: peakOf(trigger, values),
  })
  const run = (origin: string, kind: NewRun['cause']) =>
    wave.runs.push({
      id: newId(),
      tenantId: trigger.tenantId,
      triggerId: trigger.id,
      version: effect.version,
      at: cause.at,
      origin,
      cause: kind,
      by: cause.by,
      deviceId: idOf(cause.device),
      values,
      latencyMs: Math.max(0, Math.min(2_147_483_647, Math.round(now - cause.at))),
    })
  switch (effect.kind) {
    case 'raised':
      if (effect.level !== null) wave.raised.push(alarm(effect.alarm, -1, effect.level))
      run(effect.alarm, 'raised')
      return undefined
    case 'repeated':
      if (trigger.document.alarm?.renew) {
        wave.cleared.push({ ...about, by: 'renewed' })
        return alarm(`${effect.alarm}+${effect.count}`, -1, trigger.document.alarm.level)
      }
      wave.again.push({ ...about, count: effect.count, peak: peakOf(trigger, values), isLow: isLow(trigger) })
      return undefined
    case 'cleared':
      wave.cleared.push({ ...about, by: cause.by === 'rule' ? 'rule' : 'condition' })
      run(effect.alarm, 'cleared')
      return undefined
    case 'paused': {
      const origin = `${trigger.id}/${target}/${cause.lane}.${cause.seq}/${cause.at}`
      wave.paused.push(trigger.id)
      wave.raised.push(alarm(origin, LOOP_SLOT, LOOP_LEVEL))
      run(origin, 'paused')
      return undefined
    }
    case 'action': {
      const action = trigger.document.actions?.[effect.index]
      if (!action) return undefined
      const isOwn = action.kind === 'alarm' || action.kind === 'clear'
      if (action.kind === 'alarm') {
        const name = typeof action.name === 'string' && action.name.trim() !== '' ? action.name.slice(0, 64) : undefined
        wave.raised.push(alarm(effect.alarm, effect.index, Number(action.level), name))
      }
      if (action.kind === 'clear') {
        const triggerId = typeof action.triggerId === 'string' ? action.triggerId : trigger.id
        wave.cleared.push({ ...about, triggerId, by: 'action' })
        wave.clearedOthers.push({ tenantId: trigger.tenantId, triggerId, device: target === 'scope' ? null : target })
      }
      wave.actions.push({
        id: newId(),
        origin: effect.alarm,
        cause: action.on === 'clear' ? 'cleared' : 'raised',
        index: effect.index,
        kind: action.kind,
        action: { ...action },
        isDone: isOwn,
      })
      return undefined
    }
  }
}

async function writeWave(client: pg.ClientBase, wave: Wave, written: Written): Promise<void> {
  // What an action clears may be what this wave raises: its own alarm.
  written.alarms.push(...(await raiseAlarms(client, wave.raised)))
  written.alarms.push(...(await seeAlarmsAgain(client, wave.again)))
  written.alarms.push(...(await clearAlarms(client, wave.cleared)))
  await insertTriggerRuns(client, wave.runs)
  await insertTriggerActions(client, wave.actions)
  await pauseTriggers(client, [...new Set(wave.paused)])
  await tellAlarmsCleared(client, wave.clearedOthers)
  written.paused.push(...wave.paused)
  written.hasActions ||= wave.actions.some(({ isDone }) => !isDone)
}

function isLow({ document }: JudgedTrigger): boolean {
  return document.kind.startsWith('below')
}

/** The value that the trigger is about, where that is one number. */
function peakOf({ document }: JudgedTrigger, values: readonly SeenValue[]): number | null {
  const value = values.find(({ property }) => property === (document.property ?? values[0]?.property))?.value
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
