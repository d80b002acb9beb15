import { answerOf, Schedule } from '@thingwright/rules'
import type pg from 'pg'
import type { Database } from '../../lib/database/database.ts'
import { inTransaction } from '../../lib/database/in-transaction.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import {
  type FactRow,
  heldObject,
  holdObject,
  insertTriggerActions,
  insertTriggerRuns,
  type ObjectTrigger,
  objectTriggers,
  releaseObject,
  takeFacts,
} from '../triggers/index.ts'
import { clear, openOf, raise, seenAgain, type TouchedAlarm } from './alarm-effects.repo.ts'

const AT_ONCE = 200
const TICK_MS = 1_000

export interface ObjectAlarms {
  start(): void
  stop(): Promise<void>
  /** Judges what was told. @returns how many facts */
  step(): Promise<number>
}

/** Judges facts about cards, gateways and cameras; a fact is taken in the transaction that raises or clears its alarm. */
export function createObjectAlarms(deps: { database: Database; logger: Logger; now(): number }): ObjectAlarms {
  const { database, logger } = deps
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let stopped = true

  async function step(): Promise<number> {
    const touched: TouchedAlarm[] = []
    const facts = await inTransaction(database.telemetry, async client => {
      const taken = await takeFacts(client, AT_ONCE)
      const triggers = taken.length === 0 ? [] : await objectTriggers(client, [...new Set(taken.map(f => f.tenantId))])
      for (const fact of taken)
        for (const trigger of triggers)
          if (trigger.tenantId === fact.tenantId) touched.push(...(await judge(client, trigger, fact, deps.now())))
      return taken
    })
    const byCompany = new Map<string, string[]>()
    for (const { id, tenantId } of touched) byCompany.set(tenantId, [...(byCompany.get(tenantId) ?? []), id])
    for (const [tenantId, ids] of byCompany) database.news.tell('alarms.changed', { tenantId, ids })
    if (facts.length > 0) database.news.tell('trigger_actions.due', { paused: [] })
    return facts.length
  }

  const again = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = step()
        .then(count => (count === AT_ONCE ? step() : undefined))
        .catch((error: Error) => logger.warn({ err: error }, 'facts of cards, gateways and cameras were not judged'))
        .then(again)
    }, TICK_MS)
    timer.unref()
  }

  return {
    step,
    start() {
      stopped = false
      again()
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}

async function judge(
  client: pg.ClientBase,
  trigger: ObjectTrigger,
  fact: FactRow,
  now: number,
): Promise<TouchedAlarm[]> {
  const { document, version } = trigger
  const answer = document.source ? answerOf(document.source, fact) : null
  if (answer === null) return []
  const held = await heldObject(client, trigger.id, fact)
  const open = await openOf(client, trigger.id, fact.kind, fact.id)
  const level = document.alarm?.level ?? null
  const values = Object.entries(fact.values).map(([property, value]) => ({
    deviceId: null,
    property,
    value,
    ts: Math.round(fact.at),
  }))
  const about = {
    tenantId: trigger.tenantId,
    triggerId: trigger.id,
    targetKind: fact.kind,
    targetId: fact.id,
    at: fact.at,
    values,
  }
  if (answer === false) {
    if (!held && !open) return []
    await releaseObject(client, trigger.id, fact)
    const touched = await clear(client, [{ ...about, by: 'condition' }])
    await act(client, trigger, fact, now, values, held?.origin ?? originOf(trigger, fact), 'cleared')
    return touched
  }
  if (answer === 'moment' && open)
    return seenAgain(client, [{ ...about, count: open.count + 1, peak: null, isLow: false }])
  // What was cleared by hand and still is so is raised again.
  if (answer === true && held?.version === version && (level === null || open)) return []
  if (document.active && !new Schedule(document.active, undefined).isActive(fact.at)) return []
  const origin = originOf(trigger, fact)
  const touched =
    level === null || open
      ? []
      : await raise(client, [
          {
            ...about,
            id: newId(),
            triggerName: trigger.name,
            targetName: fact.name,
            origin,
            slot: -1,
            device: null,
            deviceId: null,
            level,
            peak: null,
          },
        ])
  if (answer === true)
    await holdObject(client, trigger.tenantId, {
      triggerId: trigger.id,
      kind: fact.kind,
      id: fact.id,
      version,
      origin: open?.origin ?? origin,
    })
  if (!open) await act(client, trigger, fact, now, values, origin, 'raised')
  return touched
}

function originOf({ id, version }: ObjectTrigger, fact: FactRow): string {
  return `${id}.${version}/${fact.kind}:${fact.id}/${fact.fact}`
}

/** Writes what it did into its log, and what is to be done. */
async function act(
  client: pg.ClientBase,
  trigger: ObjectTrigger,
  fact: FactRow,
  now: number,
  values: unknown,
  origin: string,
  cause: 'raised' | 'cleared',
): Promise<void> {
  await insertTriggerRuns(client, [
    {
      id: newId(),
      tenantId: trigger.tenantId,
      triggerId: trigger.id,
      version: trigger.version,
      at: fact.at,
      origin,
      cause,
      by: 'row',
      deviceId: null,
      values,
      latencyMs: Math.max(0, Math.round(now - fact.at)),
    },
  ])
  await insertTriggerActions(
    client,
    (trigger.document.actions ?? []).flatMap((action, index) =>
      (action.on === 'clear') === (cause === 'cleared')
        ? [{ id: newId(), origin, cause, index, kind: action.kind, action: { ...action }, isDone: false }]
        : [],
    ),
  )
}
