import { randomUUID } from 'node:crypto'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Triggers, and what people do about their alarms. */
export async function triggers(house: ChangeHouse, { deviceId, productId }: Things): Promise<void> {
  const { go, call, owner, db } = house
  const rule = {
    kind: 'general',
    scope: { deviceIds: [deviceId] },
    condition: { type: 'button', key: 'help' },
    alarm: { level: 3 },
  }
  await go('triggers.dryRun', { body: { trigger: rule } })
  const made = await go('triggers.create', { body: { name: 'Help', ...rule } })
  const params = { id: made.id as string }
  const preset = await go('triggerPresets.create', { body: { name: 'Calls for help', triggerIds: [params.id] } })
  const ofPreset = { params: { id: preset.id as string } }
  await go('triggerPresets.update', { ...ofPreset, body: { version: preset.version, note: 'for all' } })
  await go('triggerPresets.apply', { ...ofPreset, body: { productIds: [productId] } })
  await go('triggerPresets.remove', ofPreset)
  await go('triggers.update', { params, body: { version: made.version, name: 'Help!' } })
  await go('triggers.signal', { params, body: { kind: 'button', key: 'help' } })
  await go('triggers.disable', { params })
  await go('triggers.enable', { params })

  const { rows } = await db.superuser.query('select num, tenant_id from devices where id = $1', [deviceId])
  const raised = async (slot: number) => {
    const id = randomUUID()
    await db.superuser.query(
      `insert into alarms (id, tenant_id, trigger_id, trigger_name, origin, slot, target_kind, target_id, device, device_id,
         level, raised_at, last_at) values ($1, $2, $3, 'Help', $4, $5, 'device', $6, $7, $8, 3, now(), now())`,
      [id, rows[0].tenant_id, params.id, id, slot, deviceId, rows[0].num, deviceId],
    )
    return { id }
  }
  const alarm = await raised(-1)
  const me = (await call<{ id: string }>('GET', '/me', owner)).id
  await go('alarms.ack', { params: alarm, body: {} })
  await go('alarms.assign', { params: alarm, body: { assigneeId: me } })
  await go('alarms.comment', { params: alarm, body: { text: 'on my way' } })
  await go('alarms.shelve', { params: alarm, body: { minutes: 5 } })
  await go('alarms.unshelve', { params: alarm, body: {} })
  await go('alarms.handle', { params: alarm, body: { result: 'helped' } })
  await go('alarms.reopen', { params: alarm, body: {} })
  await go('alarms.ignore', { params: alarm, body: {} })
  await go('alarms.clear', { params: alarm, body: {} })
  await go('alarms.batch', { body: { ids: [(await raised(0)).id], action: 'ack' } })
  const levels = await call<{ items: object[]; version: number }>('GET', '/alarm-levels', owner)
  await go('alarms.setLevels', { body: { items: levels.items, version: levels.version } })
  const until = new Date(Date.now() + 3_600_000).toISOString()
  await go('alarms.setMaintenance', { params: { id: deviceId }, body: { until } })
  await go('alarms.setMaintenance', { params: { id: deviceId }, body: { until: null } })
  await go('triggers.batch', { body: { ids: [params.id], action: 'disable' } })
  await go('triggers.remove', { params })
}
