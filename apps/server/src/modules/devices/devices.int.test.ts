import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal, seen } from '../../db/testing/management.ts'
import { openDeviceSecret, secretMatches } from '../../lib/crypto/secrets.ts'
import { newId } from '../../lib/ids.ts'

let m: Management
let mine: Company
let theirs: Company
let productId: string
beforeAll(async () => {
  m = await management()
  mine = await company(m.db)
  theirs = await company(m.db)
  productId = (await m.products.service.create(mine.ctx, { name: 'Pump', linkType: 'mqtt' })).id
})

const create = (over: object = {}) => m.devices.service.create(mine.ctx, { name: 'P-1', productId, ...over } as never)
interface StoredDevice {
  num: number
  secret_hash: Buffer
  secret_cipher: Buffer
  previous_secret_hash: Buffer | null
  previous_secret_until: Date | null
}
async function stored(id: string): Promise<StoredDevice> {
  const { rows } = await m.db.superuser.query<StoredDevice>('select * from devices where id = $1', [id])
  return rows[0]!
}

describe('a new device', () => {
  it('gets a number of 16 letters and digits when it has none', async () => {
    const device = await create()
    expect(device.deviceNo).toMatch(/^[A-Z0-9]{16}$/)
    expect(device).toMatchObject({ lifecycle: 'inactive', link: 'never', alarmLevel: 0, version: 1, tags: [] })
    expect(device).toMatchObject({ productName: 'Pump', groupId: null, groupName: null, lastSeenAt: null })
    expect(m.gateway.take()).toContain(`forget device ${(await stored(device.id)).num}`)
  })

  it('keeps what it is given', async () => {
    const group = await m.groups.service.create(mine.ctx, { kind: 'device', name: '一号厂' })
    const given = {
      deviceNo: 'SN.1:2_3-4',
      groupId: group.id,
      tags: ['冷链', 'rented', '冷链'],
      description: 'text\nof two lines',
      location: { lng: 116.4, lat: 39.9, address: '北京' },
      offlineDelaySeconds: 60,
    }
    const device = await create(given)
    expect(device).toMatchObject({ ...given, tags: ['冷链', 'rented'], groupName: '一号厂' })
    expect(await m.devices.service.get(mine.ctx, device.id)).toMatchObject({ ...given, tags: ['冷链', 'rented'] })
  })

  it('has a number of its own within the product; the refusal names the one that has it', async () => {
    const first = await create({ deviceNo: 'taken' })
    const error = await refusal(create({ deviceNo: 'taken' }))
    expect(error).toMatchObject({ code: 'device.number_taken', params: { deviceNo: 'taken', id: first.id } })
    await m.devices.lifecycle.remove(mine.ctx, first.id)
    expect((await refusal(create({ deviceNo: 'taken' }))).params).toMatchObject({ id: first.id, recycled: true })
    const other = await m.products.service.create(mine.ctx, { name: 'Other', linkType: 'http' })
    await create({ deviceNo: 'taken', productId: other.id })
  })

  it('takes nothing that only the platform decides', async () => {
    const device = await create({
      tenantId: theirs.id,
      id: newId(),
      num: 1,
      lifecycle: 'active',
      link: 'online',
      deviceSecret: 'mine',
      secretHash: 'x',
      version: 9,
    })
    expect(device).toMatchObject({ lifecycle: 'inactive', link: 'never', version: 1 })
    expect(device.deviceSecret).not.toBe('mine')
    const sneaky = { version: 1, lifecycle: 'active', productId: newId(), deviceNo: 'new', tenantId: theirs.id }
    const after = await m.devices.service.update(mine.ctx, device.id, sneaky as never)
    expect(after).toMatchObject({ lifecycle: 'inactive', productId, deviceNo: device.deviceNo })
  })
})

describe('the secret of a device', () => {
  it('is shown once, kept as hash and sealed, and stands in no list and no log', async () => {
    const device = await create({ name: 'sealed' })
    const { deviceSecret } = device
    expect(deviceSecret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const row = await stored(device.id)
    expect(secretMatches(deviceSecret, row.secret_hash)).toBe(true)
    expect(openDeviceSecret(m.secrets, device.id, row.secret_cipher)).toBe(deviceSecret)

    const everything = JSON.stringify([
      await m.devices.service.get(mine.ctx, device.id),
      await m.devices.service.list(mine.ctx, { q: 'sealed' }),
      await m.devices.link.access(mine.ctx, device.id),
      await m.devices.service.update(mine.ctx, device.id, { version: 1, name: 'sealed 2' }),
      await m.audit.service.list(mine.ctx, {}),
      (await m.db.superuser.query('select * from audit_logs')).rows,
    ])
    expect(everything).toContain('sealed 2')
    for (const form of [deviceSecret, row.secret_hash.toString('hex'), row.secret_hash.toString('base64')])
      expect(everything).not.toContain(form)
    expect(everything).not.toMatch(/secretHash|secretCipher|searchGrams/)
  })

  it('is rotated: the old one works on for the overlap', async () => {
    const device = await create()
    const before = await stored(device.id)
    const ctx = mine.ctx
    const rotated = await m.devices.link.rotateSecret(ctx, device.id, { overlapSeconds: 3600 })
    expect(rotated.deviceSecret).not.toBe(device.deviceSecret)
    const after = await stored(device.id)
    expect(secretMatches(rotated.deviceSecret, after.secret_hash)).toBe(true)
    expect(openDeviceSecret(m.secrets, device.id, after.secret_cipher)).toBe(rotated.deviceSecret)
    expect(after.previous_secret_hash).toEqual(before.secret_hash)
    expect(after.previous_secret_until?.getTime()).toBe(ctx.now + 3_600_000)
    const until = new Date(ctx.now + 3_600_000).toISOString()
    expect((await m.devices.link.access(ctx, device.id)).previousSecretUntil).toBe(until)
    const later = { ...ctx, now: ctx.now + 3_600_000 }
    expect((await m.devices.link.access(later, device.id)).previousSecretUntil).toBeNull()
    // The session stays: only its secret changed.
    expect(m.gateway.take()).not.toContain(`kick ${after.num}`)
  })

  it('without an overlap puts whoever holds the old one out at once', async () => {
    const device = await create()
    await m.devices.link.rotateSecret(mine.ctx, device.id, { overlapSeconds: 0 })
    const row = await stored(device.id)
    expect(row).toMatchObject({ previous_secret_hash: null, previous_secret_until: null })
    expect(m.gateway.take().slice(-2)).toEqual([`forget device ${row.num}`, `kick ${row.num}`])
  })
})

describe('a device', () => {
  it('is updated with a version; null clears, what is not named stays', async () => {
    const group = await m.groups.service.create(mine.ctx, { kind: 'device', name: 'hall 1' })
    const device = await create({
      groupId: group.id,
      location: { lng: 1, lat: 2 },
      offlineDelaySeconds: 30,
      tags: ['a'],
    })
    const renamed = await m.devices.service.update(mine.ctx, device.id, { version: 1, name: '水泵' })
    expect(renamed).toMatchObject({ name: '水泵', groupId: group.id, tags: ['a'], offlineDelaySeconds: 30, version: 2 })
    const cleared = await m.devices.service.update(mine.ctx, device.id, {
      version: 2,
      groupId: null,
      location: null,
      offlineDelaySeconds: null,
      tags: [],
    })
    expect(cleared).toMatchObject({
      groupId: null,
      groupName: null,
      location: null,
      offlineDelaySeconds: null,
      tags: [],
    })
    const error = await refusal(m.devices.service.update(mine.ctx, device.id, { version: 2, name: 'lost' }))
    expect(error.code).toBe('version.conflict')
    expect(error.params.current).toMatchObject({ name: '水泵', version: 3 })
    expect(JSON.stringify(error.params)).not.toMatch(/secret/i)
  })

  it('carries attributes of its company’s own, each name once, in its log and its list', async () => {
    const pair = (name: string, value: string) => ({ name, value })
    const { id, attributes } = await create({
      name: 'noted',
      attributes: [pair(' contract ', 'C-1'), pair('installer', 'Li'), pair('contract', 'C-2'), pair(' ', 'nameless')],
    })
    expect(attributes).toEqual([pair('contract', 'C-2'), pair('installer', 'Li')])
    const renamed = await m.devices.service.update(mine.ctx, id, { version: 1, name: 'noted too' })
    expect(renamed.attributes).toEqual(attributes)
    await m.devices.service.update(mine.ctx, id, { version: 2, attributes: [pair('contract', 'C-3')] })
    const { items } = await m.devices.service.list(mine.ctx, { q: 'noted too' })
    expect(items).toMatchObject([{ attributes: [pair('contract', 'C-3')] }])
    const log = await m.audit.service.list(mine.ctx, { action: 'device.update', objectId: id })
    expect(log.items[0]).toMatchObject({ before: { attributes }, after: { attributes: [pair('contract', 'C-3')] } })
  })

  it('is changed by one of two who saw the same version', async () => {
    const device = await create()
    const both = await Promise.allSettled(
      ['one', 'two'].map(name => m.devices.service.update(mine.ctx, device.id, { version: 1, name })),
    )
    expect(both.map(r => r.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is disabled: the session ends after the gateway was told; enabled it is what it was', async () => {
    const device = await create()
    const { num } = await stored(device.id)
    m.gateway.take()
    expect((await m.devices.lifecycle.disable(mine.ctx, device.id)).lifecycle).toBe('disabled')
    expect(m.gateway.take()).toEqual([`forget device ${num}`, `kick ${num}`])
    expect((await refusal(m.devices.lifecycle.disable(mine.ctx, device.id))).code).toBe('device.state_invalid')
    expect((await m.devices.lifecycle.enable(mine.ctx, device.id)).lifecycle).toBe('inactive')
    expect((await refusal(m.devices.lifecycle.enable(mine.ctx, device.id))).code).toBe('device.state_invalid')
    await m.database.telemetry.query("update devices set lifecycle = 'active', activated_at = now() where id = $1", [
      device.id,
    ])
    await m.devices.lifecycle.disable(mine.ctx, device.id)
    expect((await m.devices.lifecycle.enable(mine.ctx, device.id)).lifecycle).toBe('active')
  })

  it('shows its link: session, addresses, shadow', async () => {
    const device = await create({ deviceNo: 'linked' })
    const { num } = await stored(device.id)
    expect(await m.devices.link.session(mine.ctx, device.id)).toEqual({ session: null })
    m.gateway.sessions.set(num, {
      transport: 'mqtt',
      clientId: 'c1',
      address: '192.0.2.1:5000',
      protocolVersion: '5.0',
      keepAliveSeconds: 60,
      connectedAt: Date.UTC(2026, 0, 1),
      subscriptions: [{ filter: 'x', qos: 1 }],
      bytesIn: 1,
      bytesOut: 2,
      messagesIn: 3,
      messagesOut: 4,
    })
    expect((await m.devices.link.session(mine.ctx, device.id)).session).toMatchObject({
      clientId: 'c1',
      connectedAt: '2026-01-01T00:00:00.000Z',
    })
    expect(await m.devices.link.access(mine.ctx, device.id)).toEqual({
      host: 'iot.example',
      mqttPort: 1883,
      mqttsPort: 8883,
      tcpPort: 6001,
      udpPort: 6001,
      coapPort: 5683,
      wsUrl: 'ws://iot.example:8080/mqtt',
      httpUrl: `http://iot.example:8080/device/v1/${device.productKey}/linked`,
      username: `${device.productKey}/linked`,
      topicPrefix: `things/${device.productKey}/linked/`,
      previousSecretUntil: null,
      secretPlace: 'DEVICE_SECRET',
      ways: expect.arrayContaining([expect.objectContaining({ way: 'mqtt', register: null })]),
    })
    expect(await m.devices.link.shadow(mine.ctx, device.id)).toEqual({ reported: { num }, desired: {}, version: 1 })
    await m.devices.link.kick(mine.ctx, device.id)
    expect(m.gateway.take()).toContain(`kick ${num}`)
  })

  it('of another company does not exist', async () => {
    const product = await m.products.service.create(theirs.ctx, { name: 'T', linkType: 'mqtt' })
    const { id } = await m.devices.service.create(theirs.ctx, { name: 'theirs', productId: product.id })
    m.gateway.take()
    const { service, lifecycle, link } = m.devices
    for (const attempt of [
      () => service.get(mine.ctx, id),
      () => service.update(mine.ctx, id, { version: 1, name: 'mine' }),
      () => lifecycle.enable(mine.ctx, id),
      () => lifecycle.disable(mine.ctx, id),
      () => lifecycle.remove(mine.ctx, id),
      () => lifecycle.restore(mine.ctx, id),
      () => link.rotateSecret(mine.ctx, id, {}),
      () => link.session(mine.ctx, id),
      () => link.kick(mine.ctx, id),
      () => link.access(mine.ctx, id),
      () => link.shadow(mine.ctx, id),
    ]) {
      expect((await refusal(attempt())).code).toBe('device.not_found')
    }
    expect(m.gateway.take()).toEqual([])
    expect(await service.get(theirs.ctx, id)).toMatchObject({ version: 1, lifecycle: 'inactive' })
    const { items } = await service.list(mine.ctx, { productId: product.id, limit: 100 })
    expect(items).toEqual([])
    const grouped = await m.groups.service.create(theirs.ctx, { kind: 'device', name: 'their group' })
    expect((await refusal(create({ groupId: grouped.id }))).code).toBe('group.not_found')
  })
})

describe('the recycle bin', () => {
  it('takes a device out of lists and off its connection, and gives it back as it was', async () => {
    const device = await create({ name: 'binned' })
    const { num } = await stored(device.id)
    await m.devices.lifecycle.disable(mine.ctx, device.id)
    m.gateway.take()
    expect(await m.devices.lifecycle.remove(mine.ctx, device.id)).toEqual({ ok: true })
    expect(m.gateway.take()).toEqual([`forget device ${num}`, `kick ${num}`])
    const list = async (query: object) =>
      (await m.devices.service.list(mine.ctx, { q: 'binned', ...query } as never)).items.map(({ id }) => id)
    expect(await list({})).toEqual([])
    expect(await list({ lifecycle: 'disabled' })).toEqual([])
    expect(await list({ lifecycle: 'recycled' })).toEqual([device.id])
    const binned = await m.devices.service.get(mine.ctx, device.id)
    expect(binned.lifecycle).toBe('recycled')
    expect(binned.recycledAt).not.toBeNull()
    for (const attempt of [
      () => m.devices.service.update(mine.ctx, device.id, { version: binned.version, name: 'x' }),
      () => m.devices.lifecycle.enable(mine.ctx, device.id),
      () => m.devices.lifecycle.disable(mine.ctx, device.id),
      () => m.devices.link.rotateSecret(mine.ctx, device.id, {}),
    ]) {
      expect((await refusal(attempt())).code).toBe('device.recycled')
    }
    const restored = await m.devices.lifecycle.restore(mine.ctx, device.id)
    expect(restored).toMatchObject({ lifecycle: 'disabled', recycledAt: null })
    expect((await refusal(m.devices.lifecycle.restore(mine.ctx, device.id))).code).toBe('device.not_recycled')
    expect(await list({})).toEqual([device.id])
  })

  it('removes for good the second time, with presence, commands and telemetry', async () => {
    const device = await create({ deviceNo: 'for-good' })
    const { num } = await stored(device.id)
    await seen(m.db, num)
    await m.db.superuser.query(
      `insert into commands (id, tenant_id, device_id, device, kind, expires_at) values ($1, $2, $3, $4, 'raw', now())`,
      [newId(), mine.id, device.id, num],
    )
    await m.devices.lifecycle.remove(mine.ctx, device.id)
    expect(m.purged).not.toContain(num)
    await m.devices.lifecycle.remove(mine.ctx, device.id)
    expect(m.purged).toContain(num)
    expect((await refusal(m.devices.service.get(mine.ctx, device.id))).code).toBe('device.not_found')
    for (const table of ['device_presence', 'device_unseen', 'commands', 'device_purges']) {
      const { rows } = await m.db.superuser.query(`select count(*) as n from ${table} where device = $1`, [num])
      expect([table, rows[0]]).toEqual([table, { n: 0 }])
    }
    // The number is free again, and the new device is another one.
    const next = await create({ deviceNo: 'for-good' })
    expect((await stored(next.id)).num).toBeGreaterThan(num)
    const { items } = await m.audit.service.list(mine.ctx, { objectId: device.id })
    expect(items.map(({ action, after }) => [action, after?.lifecycle ?? null])).toEqual([
      ['device.remove', null],
      ['device.remove', 'recycled'],
      ['device.create', 'inactive'],
    ])
  })

  it('finishes a deletion of telemetry that was cut off', async () => {
    const device = await create()
    const { num } = await stored(device.id)
    await m.devices.lifecycle.remove(mine.ctx, device.id)
    m.state.purgeFails = true
    expect(await m.devices.lifecycle.remove(mine.ctx, device.id)).toEqual({ ok: true })
    m.state.purgeFails = false
    expect(m.purged).not.toContain(num)
    expect(await m.devices.lifecycle.purgePending()).toBe(1)
    expect(m.purged).toContain(num)
    expect(await m.devices.lifecycle.purgePending()).toBe(0)
  })
})

describe('access to telemetry', () => {
  it('is given for the own devices only', async () => {
    const { authoriseDevice, authoriseDevices } = await import('./index.ts')
    const own = await create()
    const product = await m.products.service.create(theirs.ctx, { name: 'T2', linkType: 'mqtt' })
    const foreign = await m.devices.service.create(theirs.ctx, { name: 'theirs', productId: product.id })
    const { num } = await stored(own.id)
    const one = await m.database.withTenant(mine.ctx, scope => authoriseDevice(scope, own.id))
    expect(one).toMatchObject({ id: own.id, num, productId, productKey: own.productKey, tenantId: mine.id, ids: [num] })
    const some = await m.database.withTenant(mine.ctx, scope => authoriseDevices(scope, [own.id, foreign.id, newId()]))
    expect(some.ids).toEqual([num])
    expect(some.devices.map(({ id, ids }) => [id, ids])).toEqual([[own.id, [num]]])
    const other = m.database.withTenant(mine.ctx, scope => authoriseDevice(scope, foreign.id))
    expect((await refusal(other)).code).toBe('device.not_found')
  })
})
