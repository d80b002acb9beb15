import { insertRows } from '../../ingest/testing/journal-rows.ts'
import type { Ctx } from '../../lib/context.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../../modules/identity/index.ts'
import { type AssistantHouse, PASSWORD } from '../testing/assistant-house.ts'
import fleet from './fleet.json' with { type: 'json' }

/** Those who ask in the suite. */
export interface Askers {
  tenantId: string
  tokens: Record<'owner' | 'readonly' | 'powerless' | 'support', string>
  /** What nobody may ever be told: secrets of devices, keys of programs. */
  secrets: string[]
}

const READS = [
  'product:read',
  'device:read',
  'telemetry:read',
  'group:read',
  'role:read',
  'member:read',
  'company:read',
  'media:read',
  'firmware:read',
  'subscription:read',
  'developer:read',
  'audit:read',
  'user-log:read',
]

/** Makes the company of the suite through the API as its owner would: what the questions speak of is there. */
export async function furnish(house: AssistantHouse): Promise<Askers> {
  const { db, call } = house
  const { tenantId, token: owner } = await house.company(fleet.company, 'owner')
  const ids = new Map<string, string>()
  const secrets: string[] = []
  const named = (kind: string, name: string) => ids.get(`${kind} ${name}`)!
  const make = async (kind: string, name: string, path: string, body: object) => {
    const made = await call<{ id: string; deviceSecret?: string; key?: string }>('POST', path, owner, body)
    ids.set(`${kind} ${name}`, made.id)
    secrets.push(...[made.deviceSecret, made.key].filter(secret => secret !== undefined))
  }

  for (const product of fleet.products) await make('product', product.name, '/products', product)
  for (const name of fleet.groups) await make('group', name, '/groups', { kind: 'device', name })
  const nums = new Map<string, number>()
  for (const { name, product, group, values, command } of fleet.devices) {
    await make('device', name, '/devices', {
      name,
      productId: named('product', product),
      ...(group ? { groupId: named('group', group) } : {}),
    })
    const id = named('device', name)
    nums.set(name, (await db.superuser.query('select num from devices where id = $1', [id])).rows[0].num)
    if (values) await report(nums.get(name)!, values)
    if (command) await call('POST', `/devices/${id}/commands`, owner, command)
  }
  for (const role of fleet.roles)
    await make('role', role.name, '/roles', { ...role, menuKeys: [], dataScope: { kind: 'all' } })
  for (const member of fleet.members) await join(member)
  for (const { campaign, product, ...about } of fleet.firmware) {
    const form = new FormData()
    for (const [key, value] of Object.entries({ ...about, productId: named('product', product) }))
      form.append(key, String(value))
    form.append('file', new Blob([`${about.name} ${about.version}`]), 'firmware.bin')
    const { id: packageId } = await call('POST', '/firmware-packages', owner, form)
    if (!campaign) continue
    const scope = { kind: 'all' }
    const rate = { kind: 'constant', perMinute: 60 }
    await make('campaign', campaign, '/ota-campaigns', { name: campaign, packageId, scope, rate })
  }
  for (const { device, version } of fleet.versions)
    await db.superuser.query(
      `insert into device_firmware (device, module, version, tenant_id, changed_at, reported_at)
       values ($1, 'default', $2, $3, now(), now())`,
      [nums.get(device), version, tenantId],
    )
  for (const subscription of fleet.subscriptions)
    await make('subscription', subscription.name, '/subscriptions', subscription)
  for (const key of fleet.apiKeys)
    await make('api_key', key.name, '/api-keys', {
      ...key,
      expiresAt: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    })

  /** Values every ten minutes of the last nine days, each a little above the one before, and again from below. */
  async function report(device: number, values: object): Promise<void> {
    const until = Date.now()
    const rows = Array.from({ length: 200 }, (_, n) => ({
      device,
      ts: until - (199 - n) * 3_900_000,
      values: Object.fromEntries(
        Object.entries(values).map(([key, value]: [string, unknown]) => [
          key,
          typeof value === 'number' ? value + (n % 7) / 10 : value,
        ]),
      ),
    }))
    await insertRows(db, rows)
  }

  async function join({ username, displayName, role }: (typeof fleet.members)[number]): Promise<void> {
    const id = newId()
    await db.superuser.query(
      `insert into logins (id, tenant_id, kind, username, display_name, password_hash) values ($1, $2, 'member', $3, $4, $5)`,
      [id, tenantId, username, displayName, await hashPassword(PASSWORD)],
    )
    await db.superuser.query('insert into login_roles (login_id, role_id, tenant_id) values ($1, $2, $3)', [
      id,
      named('role', role),
      tenantId,
    ])
  }

  return {
    tenantId,
    secrets,
    tokens: {
      owner,
      readonly: await house.person(tenantId, owner, 'reader', READS),
      powerless: await house.person(tenantId, owner, 'beginner', ['device:read']),
      support: await supporter(house, tenantId, owner),
    },
  }
}

/** An operator whom the company let in to look, and nothing else. */
async function supporter(house: AssistantHouse, tenantId: string, owner: string): Promise<string> {
  const { db } = house
  const platform = newId()
  await db.superuser.query(
    `insert into tenants (id, app_id, name, kind, status) values ($1, $2, 'platform', 'platform', 'active')`,
    [platform, newId().slice(0, 12)],
  )
  await db.superuser.query(
    `insert into logins (id, tenant_id, kind, username, password_hash) values ($1, $2, 'operator', 'operator', $3)`,
    [newId(), platform, await hashPassword(PASSWORD)],
  )
  await house.call('POST', '/company/support-access', owner, { hours: 2, mayWrite: false })
  const operator = await house.container.identity.authenticate(await house.signIn('operator'))
  const access = (await house.container.company.support.running(tenantId, Date.now()))!
  const ctx: Ctx = { ...operator, locale: 'zh', requestId: newId(), now: Date.now() }
  return (await house.container.identity.supportToken(ctx, access)).access_token
}
