import type { SubscriptionItem, SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { readDevices } from './catalogue.repo.ts'
import { type DeviceFacts, Matcher, type SubscriptionRule } from './matcher.ts'
import type { QueueClient } from './queue.repo.ts'
import * as repo from './subscriptions.repo.ts'

export interface SampleDeps {
  database: Database
  queuePool: QueueClient
  /** Latest values of a device that the caller may see. */
  latest(ctx: Ctx, deviceId: string): Promise<{ items: readonly { identifier: string; value: unknown; ts: number }[] }>
  /** Its last event. */
  lastEvent(
    ctx: Ctx,
    deviceId: string,
  ): Promise<{ identifier: string; level: string; params: Record<string, unknown>; ts: number } | null>
}

export interface Sample {
  real: boolean
  /** Number of the device; 0: made up. */
  device: number
  item: SubscriptionItem
}

/** Devices that were seen last are looked at first. */
const LOOKED_AT = 50
const NOBODY = '00000000-0000-7000-8000-000000000000'

/**
 * The last real item of the caller's own devices that a subscription would take, conditions and sampling aside; else one
 * that is made up in the same shape.
 */
export async function findSample(
  { database, queuePool, latest, lastEvent }: SampleDeps,
  ctx: Ctx,
  rule: SubscriptionRule,
): Promise<Sample> {
  const { condition: _, everySeconds: __, ...filter } = rule.filter
  const matcher = new Matcher({ ...rule, filter, since: 0 })
  // Read with the caller's eyes: what is outside his scope is no sample either.
  const seen = await database.withTenant(ctx, scope => repo.sampleDevices(scope, LOOKED_AT))
  const facts = await readDevices(
    queuePool,
    seen.map(({ num }) => num),
  )
  const order = new Map(seen.map(({ num }, i) => [num, i]))
  const devices = facts.filter(fact => matcher.takesDevice(fact)).sort((a, b) => order.get(a.num)! - order.get(b.num)!)
  const kind = rule.kinds.find(one => one === 'property') ?? rule.kinds[0]!
  for (const device of devices.slice(0, 10)) {
    if (kind === 'property') {
      const { items } = await latest(ctx, device.id)
      const text = JSON.stringify(Object.fromEntries(items.map(({ identifier, value }) => [identifier, value])))
      const ts = Math.max(0, ...items.map(item => item.ts))
      const row = { device: device.num, seq: 0, arrivedAt: ts }
      const taken = items.length > 0 ? matcher.take(kind, row, text, () => JSON.parse(text)) : null
      if (taken !== null) return { real: true, device: device.num, item: itemOf(device, kind, ts, JSON.parse(taken)) }
    } else if (kind === 'event') {
      const event = await lastEvent(ctx, device.id)
      if (event) {
        const { ts, ...data } = event
        return { real: true, device: device.num, item: itemOf(device, kind, ts, data) }
      }
    }
  }
  const [device] = devices
  return {
    real: false,
    device: device?.num ?? 0,
    item: itemOf(
      device ?? { id: NOBODY, productKey: 'product-key', deviceNo: 'device-1' },
      kind,
      ctx.now,
      MADE_UP[kind],
    ),
  }
}

function itemOf(
  { id, productKey, deviceNo }: Pick<DeviceFacts, 'id' | 'productKey' | 'deviceNo'>,
  type: SubscriptionKind,
  ts: number,
  data: Record<string, unknown>,
): SubscriptionItem {
  return { id: 'sample-1', type, ts, productKey, deviceNo, deviceId: id, data }
}

const MADE_UP: Record<SubscriptionKind, Record<string, unknown>> = {
  property: { temperature: 21.5 },
  event: { identifier: 'overheat', level: 'warning', params: { temperature: 90 } },
  state: { link: 'online', transport: 'mqtt' },
  command: {
    commandId: NOBODY,
    kind: 'property_set',
    identifier: null,
    state: 'succeeded',
    params: { switch: true },
    reply: null,
    errorCode: null,
  },
  lifecycle: { change: 'created', name: 'device' },
  firmware: {
    jobId: NOBODY,
    campaignId: NOBODY,
    module: 'default',
    state: 'succeeded',
    fromVersion: '1.0.0',
    version: '1.1.0',
    percent: 100,
    errorCode: null,
  },
  alarm: {
    change: 'raised',
    alarmId: NOBODY,
    triggerId: NOBODY,
    trigger: 'trigger',
    level: 3,
    active: true,
    acknowledged: false,
    values: [{ property: 'temperature', value: 90, ts: 0 }],
  },
}
