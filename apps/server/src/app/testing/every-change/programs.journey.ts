import { randomUUID } from 'node:crypto'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** API keys, data subscriptions, and programs written for another platform. */
export async function programs(house: ChangeHouse, things: Things): Promise<void> {
  const { go, call, owner, db } = house
  const key = await go('apiKeys.create', { body: { name: 'ERP', scopes: ['device:read', 'device:write'] } })
  const params = { id: key.id as string }
  await go('apiKeys.update', { params, body: { version: key.version, name: 'The ERP' } })
  await go('apiKeys.rotate', { params, body: { overlapHours: 1 } })
  await go('apiKeys.endOverlap', { params })
  const other = await house.person(house.tenantId, owner, 'colleague', ['api-key:write', 'device:read'])
  await go('security.prove', { as: other, body: { method: 'password', password: 'A password 4 tests' } })
  const theirs = await go('apiKeys.create', { as: other, body: { name: 'Theirs', scopes: ['device:read'] } })
  await go('apiKeys.takeOver', { params: { id: theirs.id } })
  await go('apiKeys.revoke', { params })
  await go('apiKeys.remove', { params })

  const target = { kind: 'webhook', url: 'https://receiver.example/in' }
  const made = await go('subscriptions.create', { body: { name: 'Warehouse', kinds: ['property'], target } })
  const sub = { id: made.id as string }
  const fresh = async () => (await call<{ version: number }>('GET', `/subscriptions/${sub.id}`, owner)).version
  await go('subscriptions.preview', { body: { payload: { format: 'envelope' } } })
  await go('subscriptions.update', { params: sub, body: { version: await fresh(), name: 'Stock' } })
  await go('subscriptions.pause', { params: sub })
  await go('subscriptions.resume', { params: sub })
  await go('subscriptions.rotateSecret', { params: sub, body: {} })
  await go('subscriptions.test', { params: sub })
  const { rows } = await db.superuser.query('select num from devices where id = $1', [things.deviceId])
  const dead = () =>
    db.superuser.query(
      `insert into subscription_dead_letters (id, tenant_id, subscription_id, device, item, reason, attempts, at)
       values ($1, $2, $3, $4, '{"id":"x"}', 'refused', 5, now())`,
      [randomUUID(), house.tenantId, sub.id, rows[0].num],
    )
  await dead()
  await go('subscriptions.replayDeadLetters', { params: sub, body: {} })
  await dead()
  await go('subscriptions.removeDeadLetters', { params: sub, body: {} })
  await go('subscriptions.replay', { params: sub, body: { from: 0 } })
  await go('subscriptions.remove', { params: sub })
  const stream = await go('subscriptions.create', {
    body: { name: 'Stream', kinds: ['property'], target: { kind: 'pull' } },
  })
  await go('subscriptions.acknowledge', { params: { id: stream.id }, body: { cursor: 0 } })

  await go('mcp.call', {
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })
  await tlink(house)
}

async function tlink({ go }: ChangeHouse): Promise<void> {
  const { access_token } = await go('tlink.token', {
    as: null,
    headers: { authorization: `Basic ${Buffer.from('any:client').toString('base64')}` },
    query: { grant_type: 'password', username: 'chief', password: 'A password 4 tests' },
  })
  const ask = (name: string, body: object = {}) =>
    go(`tlink.${name}`, { as: access_token, headers: { tlinkappid: 'fd6720c' }, body: { userId: 1, ...body } })
  await go('tlink.userLogin', { as: null, body: { userName: 'chief', password: 'A password 4 tests', apiKey: 'x' } })
  await ask('getUserInfo')
  await ask('getYunzutaiList')
  const { deviceId, deviceNo } = await ask('addDevice', {
    deviceName: 'Greenhouse',
    linkType: 'tcp',
    timescale: 60,
    sensorList: [{ sensorName: 'pump', sensorType: 2 }],
  })
  await ask('getDevices', { currPage: 1, pageSize: 10 })
  await ask('getDeviceSensorDatas', { currPage: 1, pageSize: 10 })
  const { device } = await ask('getSingleDeviceDatas', { deviceNo, currPage: 1, pageSize: 10 })
  const sensorId = device.sensorsList[0].id
  await ask('getSingleSensorDatas', { sensorId })
  await ask('getSensorHistroy', { sensorId, startDate: '2026-01-01 11:00:00', endDate: '2026-01-01 13:00:00' })
  await ask('updateDevice', { deviceId, deviceName: 'Glasshouse' })
  await ask('switcherController', { deviceId, sensorId, switcher: 1 })
  await ask('deviceWrite', { deviceId, sensorId, value: 1 })
  await tlinkAlarms(ask, { deviceId, sensorId })
  await ask('deleteDevice', { deviceId })
}

/** Contacts, triggers, timed tasks and the profile in the words of that family. */
async function tlinkAlarms(
  ask: (name: string, body?: object) => Promise<Record<string, unknown>>,
  sensor: { deviceId: unknown; sensorId: unknown },
): Promise<void> {
  await ask('getVerifyCode', { email: 'chief-new@example.com' })
  await ask('updateUserInfo', { contactName: 'Chief' })
  const { id } = await ask('addContacts', { name: 'Duty', email: 'duty-tlink@example.com' })
  for (const name of ['getContacts', 'getAllContacts', 'getWechatContacts']) await ask(name)
  await ask('getContactById', { id })
  await ask('saveContact', { id, name: 'Day' })
  await ask('updateContacts', { id, name: 'Night' })
  await ask('reBindWeChat', { id })
  await ask('deleteContacts', { id })
  const second = await ask('addContacts', { name: 'Second', email: 'second-tlink@example.com' })
  await ask('deleteContact', { id: second.id })
  const alarm = { ...sensor, alarmType: 12 }
  const trigger = await ask('addAlarms', alarm)
  await ask('updateAlarms', { id: trigger.id, ...alarm })
  await ask('activeAlarms', { id: trigger.id, active: 0 })
  await ask('getAlarms')
  await ask('getAlarmsHistory')
  await ask('deleteAlarms', { id: trigger.id })
  const task = { ...sensor, startTime: '08:00', value: 1 }
  const made = await ask('addScheduler', task)
  await ask('updateScheduler', { id: made.id, ...task })
  await ask('activeScheduler', { id: made.id, status: 0 })
  await ask('getScheduler')
  await ask('deleteScheduler', { id: made.id })
}
