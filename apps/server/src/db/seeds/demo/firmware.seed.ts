import { createHash } from 'node:crypto'
import { DEFAULT_RETRIES, DEFAULT_TIMEOUTS } from '@thingwright/contracts/firmware-schemas'
import type { TenantScope } from '../../../lib/database/database.ts'
import { newId } from '../../../lib/ids.ts'
import { sql } from '../../../lib/sql/statement.ts'
import firmware from './firmware.json' with { type: 'json' }

export interface DemoPackage {
  /** Kind of the product. */
  product: string
  name: string
  module?: string
  version: string
  fromVersion?: string
  orderNo: number
  notes: string
  bytes: number
  /** What was said of its verification; absent: it was not verified. */
  verified?: string
}

export const DEMO_PACKAGES: readonly DemoPackage[] = firmware.packages

/**
 * An image that the demo's simulated devices can run: a line that says what it is, a body, its own SHA-256 at the end
 * (packages/device-sdk/src/testing/board.ts reads it).
 */
export function demoImage({ version, bytes, orderNo }: DemoPackage): Buffer {
  const head = Buffer.from(`${JSON.stringify({ image: 1, version })}\n`)
  const body = Buffer.alloc(Math.max(0, bytes - head.length - 32))
  let x = (orderNo * 2_654_435_761) >>> 0 || 1
  for (let i = 0; i < body.length; i++) {
    // xorshift32: the same package has the same bytes at every start
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    body[i] = x
  }
  const content = Buffer.concat([head, body])
  return Buffer.concat([content, createHash('sha256').update(content).digest()])
}

/**
 * How a demo device goes about its firmware; null: it has none to speak of.
 * @param place of the device among those of its product
 * @param reported what it said last, which it still runs
 */
export function demoFirmwareLife(kind: string, place: number, reported: string | null): Record<string, unknown> | null {
  const lives: Record<string, { versions: string[]; faults: Record<string, string> }> = firmware.devices
  const life = lives[kind]
  if (!life) return null
  const fault = life.faults[String(place)]
  return {
    version: reported ?? life.versions[place % life.versions.length],
    transport: 'chunks',
    ...(fault === undefined ? {} : { fault }),
  }
}

const SEED_DEMO_CAMPAIGN = sql`insert into ota_campaigns (id, tenant_id, product_id, package_id, name, kind, state, scope, plan, next_at, counted_from,
    owner_name, actor, created_at)
  select $1, f.tenant_id, f.product_id, f.id, $2, 'rollout', 'scheduled', '{"kind":"all"}', $3, now() + interval '30 seconds', now(),
    'system:demo', '{"kind":"system","reason":"demo"}', now()
  from firmware_packages f where f.product_id = $4 and f.version = $5 and f.kind = 'full'
    and not exists (select 1 from ota_campaigns c where c.package_id = f.id)`

/** The demo's roll-out, as a row that the runner takes up; nothing when there is one. */
export async function seedDemoCampaign(scope: TenantScope, productIds: ReadonlyMap<string, string>): Promise<void> {
  const { name, product, version, perMinute } = firmware.campaign
  const plan = {
    delivery: 'push',
    confirm: false,
    rate: { kind: 'constant', perMinute },
    window: null,
    preconditions: [],
    timeouts: DEFAULT_TIMEOUTS,
    retries: { ...DEFAULT_RETRIES, max: 1, backoffSeconds: 30 },
    autoStop: { failurePercent: 50, afterDevices: 5 },
    supersede: true,
    allowDowngrade: false,
  }
  await scope.run(SEED_DEMO_CAMPAIGN, [newId(), name, JSON.stringify(plan), productIds.get(product) ?? null, version])
}
