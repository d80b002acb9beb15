import type { Permission } from '@thingwright/contracts/permissions'
import { insertRows } from '../../ingest/testing/journal-rows.ts'
import { type Ctx, WHOLE_COMPANY } from '../../lib/context.ts'
import words from './thing-house.json' with { type: 'json' }
import { type ToolHouse, toolHouse } from './tool-house.ts'

/** A company with a cold store and its devices, whose people use tools. */
export interface ThingHouse extends ToolHouse {
  /** Id of the product with temperature, humidity, target temperature, power and a door, and a service to defrost. */
  productId: string
  /** The owner, asking in English. */
  en: Ctx
  /** A device of the product, by name; its id. */
  device(name: string, over?: Record<string, unknown>): Promise<string>
  /** A reader of everything who may change nothing. */
  reader: Ctx
  /** Values that a device reported, each at so many minutes before now. */
  report(id: string, values: Record<string, unknown>, minutesAgo?: number): Promise<void>
  /** Rows of the journal of a device, as the device path would write them. */
  rows(id: string, rows: Omit<Parameters<typeof insertRows>[1][number], 'device'>[]): Promise<void>
  online(id: string): Promise<void>
}

const READING: readonly Permission[] = ['device:read', 'product:read', 'telemetry:read', 'group:read']

export async function thingHouse(): Promise<ThingHouse> {
  const house = await toolHouse()
  const { owner, call, db } = house
  const made = (await call(owner, 'POST /api/v1/products', {
    body: { name: words.product, linkType: 'mqtt', thingModel: words.model },
  })) as { id: string }

  async function numberOf(id: string): Promise<number> {
    const { rows } = await db.superuser.query<{ num: number }>('select num from devices where id = $1', [id])
    return rows[0]!.num
  }

  const rows: ThingHouse['rows'] = async (id, list) => {
    const device = await numberOf(id)
    await insertRows(
      db,
      list.map(row => ({ device, ...row })),
    )
  }

  return {
    ...house,
    productId: made.id,
    en: { ...owner, locale: 'en' },
    reader: await house.person('reader', READING, { scope: WHOLE_COMPANY }),
    async device(name, over = {}) {
      const body = { name, productId: made.id, ...over }
      return ((await call(owner, 'POST /api/v1/devices', { body })) as { id: string }).id
    },
    rows,
    report: (id, values, minutesAgo = 0) => {
      const ts = Date.now() - minutesAgo * 60_000
      return rows(id, [{ values, ts, arrivedAt: ts }])
    },
    async online(id) {
      await db.superuser.query(
        `insert into device_presence (device, tenant_id, link, first_seen_at, last_seen_at, online_since)
         select num, tenant_id, 'online', now(), now(), now() from devices where id = $1
         on conflict (device) do update set link = 'online', last_seen_at = now(), online_since = now()`,
        [id],
      )
    },
  }
}
