import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { emptyScene } from '@thingwright/scene'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedCompany, seedMinimal } from '../db/seeds/minimal/minimal.seed.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { insertRows } from '../ingest/testing/journal-rows.ts'
import { hashPassword } from '../modules/identity/index.ts'
import { testContainer, testHttp } from './testing/test-app.ts'

/** A program as people have written them against that family's open API: only its base address is changed. */
const PASSWORD = 'A password 4 tests'
let db: TestDatabase
let app: FastifyInstance
const tokens = new Map<string, string>()

beforeAll(async () => {
  db = await testDatabase()
  app = await testHttp(testContainer(db, { devFlag: true, demo: true }), { strictAudit: true })
  const passwordHash = await hashPassword(PASSWORD)
  const login = (username: string, kind: 'operator' | 'member') => ({
    username,
    passwordHash,
    displayName: username,
    kind,
  })
  await seedMinimal(db.database, async () => login('operator', 'operator'))
  for (const username of ['owner', 'stranger'])
    await db.database.withSystemScope('seed', scope =>
      seedCompany(scope, { name: username, owner: login(username, 'member') }),
    )
  for (const username of ['owner', 'stranger']) {
    const reply = await app.inject({
      method: 'POST',
      url: `/compat/tlink/oauth/token?grant_type=password&username=${username}&password=${encodeURIComponent(PASSWORD)}`,
      headers: { authorization: `Basic ${Buffer.from('any:client').toString('base64')}` },
    })
    expect(reply.json()).toMatchObject({
      token_type: 'bearer',
      userId: expect.any(Number),
      clientId: expect.any(String),
    })
    tokens.set(username, reply.json().access_token)
  }
})
afterAll(async () => {
  await app.close()
  await db.drop()
})

async function call(path: string, body: object = {}, as = 'owner') {
  const reply = await app.inject({
    method: 'POST',
    url: `/compat/tlink/api/${path}`,
    headers: { authorization: `bearer ${tokens.get(as)}`, tlinkappid: 'fd6720c' },
    payload: { userId: 200017377, ...body },
  })
  return { status: reply.statusCode, body: reply.json() }
}

describe('the open API of the TLINK family', () => {
  it('makes a device with sensors, reads its values and history, and writes to it', async () => {
    const added = await call('device/addDevice', {
      deviceName: 'Greenhouse',
      linkType: 'tcp',
      lat: '31.2',
      lng: '121.5',
      timescale: 60,
      sensorList: [
        { sensorName: '温度', sensorType: 1, unit: '℃', decimal: 1 },
        { sensorName: '水泵', sensorType: 2 },
      ],
    })
    expect(added).toMatchObject({
      status: 200,
      body: { flag: '00', deviceId: expect.any(Number), deviceName: 'Greenhouse' },
    })
    const { deviceId, deviceNo } = added.body
    const ts = Date.UTC(2026, 0, 1, 4, 0, 0)
    await insertRows(db, [{ device: deviceId, values: { s1: 21.5, s2: true }, ts }])

    const list = await call('device/getDevices', { currPage: 1, pageSize: 10 })
    expect(list.body).toMatchObject({
      flag: '00',
      currPage: 1,
      pages: 1,
      rowCount: 1,
      dataList: [{ id: deviceId, deviceNo, lat: '31.2', lng: '121.5', isLine: 0, isDelete: 0, defaultTimescale: '60' }],
    })
    const { device } = (await call('device/getSingleDeviceDatas', { deviceNo, currPage: 1, pageSize: 10 })).body
    expect(device.sensorsList).toMatchObject([
      {
        sensorName: '温度',
        sensorTypeId: 1,
        unit: '℃',
        value: '21.5',
        switcher: '',
        heartbeatDate: '2026-01-01 12:00:00',
      },
      { sensorName: '水泵', sensorTypeId: 2, value: '', switcher: '1' },
    ])
    const [temperature, pump] = device.sensorsList as { id: number }[]
    expect(Number.isSafeInteger(temperature!.id)).toBe(true)
    expect((await call('device/getSingleSensorDatas', { sensorId: temperature!.id })).body).toMatchObject({
      flag: '00',
      sensorId: temperature!.id,
      sensorName: '温度',
      value: '21.5',
    })
    const history = await call('device/getSensorHistroy', {
      sensorId: String(temperature!.id),
      startDate: '2026-01-01 11:00:00',
      endDate: '2026-01-01 13:00:00',
      pagingState: '',
      pageSize: 100,
    })
    expect(history.body).toMatchObject({
      flag: '00',
      pagingState: '',
      dataList: [{ addTime: '2026-01-01 12:00:00', val: '21.5' }],
    })

    const on = await call('device/switcherController', { deviceNo, sensorId: pump!.id, switcher: 1 })
    expect(on.body).toMatchObject({ flag: '00', state: 'queued' })
    const { rows } = await db.superuser.query('select params from commands where device = $1', [deviceId])
    expect(rows).toEqual([{ params: { s2: true } }])
    expect((await call('device/deviceWrite', { deviceNo, sensorId: temperature!.id, value: '30.5' })).body.flag).toBe(
      '00',
    )

    // Another company sees none of it, whatever numbers it guesses.
    for (const [path, body] of [
      ['device/getSingleDeviceDatas', { deviceId }],
      ['device/getSensorHistroy', { sensorId: temperature!.id }],
      ['device/switcherController', { deviceNo, sensorId: pump!.id, switcher: 0 }],
      ['device/deleteDevice', { deviceId }],
    ] as const)
      expect(await call(path, body, 'stranger')).toMatchObject({
        status: 200,
        body: { flag: '01', code: 'device.not_found' },
      })
    expect((await call('device/getDevices', {}, 'stranger')).body).toMatchObject({ rowCount: 0, dataList: [] })

    expect((await call('device/updateDevice', { deviceId, deviceName: 'House 2' })).body.flag).toBe('00')
    expect((await call('device/deleteDevice', { deviceId })).body).toEqual({ flag: '00', msg: '' })
    expect((await call('device/getDevices')).body.rowCount).toBe(0)
  })

  it('says no with flag 01 and a reason, and with 401 to strangers', async () => {
    expect((await call('device/getDevices', { pageSize: 101 })).body).toMatchObject({
      flag: '01',
      msg: expect.stringContaining('100'),
    })
    expect((await call('device/getSingleDeviceDatas', { deviceId: 1 })).body).toMatchObject({ flag: '01' })
    expect((await call('device/switcherController', { sensorId: 'x', switcher: 1 })).body).toMatchObject({
      flag: '01',
      msg: 'sensorId',
    })
    expect((await call('device/addDevice', { deviceName: 'x', linkType: 'carrier-pigeon' })).body).toMatchObject({
      flag: '01',
    })
    expect((await call('user/getUserInfo')).body).toMatchObject({ flag: '00', userName: 'owner' })
    const reply = await app.inject({ method: 'POST', url: '/compat/tlink/api/device/getDevices', payload: {} })
    expect(reply.statusCode).toBe(401)
    const wrong = await app.inject({
      method: 'POST',
      url: '/compat/tlink/oauth/token?grant_type=password&username=owner&password=nothing',
    })
    expect(wrong.statusCode).toBe(401)
  })
})

/** A device with a temperature and a pump, of the company `owner`. */
async function house(as = 'owner') {
  const { deviceId, deviceNo } = (
    await call(
      'device/addDevice',
      {
        deviceName: 'House',
        linkType: 'mqtt',
        sensorList: [
          { sensorName: 'temperature', sensorType: 1 },
          { sensorName: 'pump', sensorType: 2 },
        ],
      },
      as,
    )
  ).body
  const { device } = (await call('device/getSingleDeviceDatas', { deviceId }, as)).body
  const [temperature, pump] = device.sensorsList as { id: number }[]
  return { deviceId, deviceNo, temperature: temperature!.id, pump: pump!.id }
}

describe('contacts, alarms and the scheduler of that family', () => {
  it('adds, changes, lists and removes contacts by numbers', async () => {
    const added = await call('alarms/addContacts', {
      name: 'Duty',
      mobile: '13800000001',
      email: 'd@example.com',
      smsFlag: 0,
    })
    expect(added.body).toMatchObject({ flag: '00', id: expect.any(Number) })
    const { id } = added.body
    expect((await call('alarms/getContacts', { currPage: 1, pageSize: 10 })).body.dataList).toMatchObject([
      { id, name: 'Duty', mobile: '+8613800000001', email: 'd@example.com', smsFlag: 0, emailFlag: 1, wechatFlag: 1 },
    ])
    expect((await call('alarms/updateContacts', { id, emailFlag: '0', smsFlag: '1' })).body.flag).toBe('00')
    expect((await call('alarms/getContactById', { id })).body.contact).toMatchObject({ smsFlag: 1, emailFlag: 0 })
    expect((await call('alarms/getContactById', { id }, 'stranger')).body).toMatchObject({ flag: '01', msg: 'id' })
    expect((await call('alarms/deleteContacts', { id }, 'stranger')).body.flag).toBe('01')
    expect((await call('alarms/addContacts', { name: 'x' })).body).toMatchObject({
      flag: '01',
      code: 'contact.unreachable',
    })
    expect((await call('alarms/deleteContacts', { id })).body).toEqual({ flag: '00', msg: '' })
    expect((await call('alarms/getAllContacts')).body.dataList).toEqual([])
  })

  it('makes triggers of every kind over a sensor, with linkage, and switches them', async () => {
    const { deviceId, temperature, pump } = await house()
    const made = await call('alarms/addAlarms', {
      deviceId,
      sensorId: temperature,
      alarmType: 8,
      heightValue: '30.5',
      duration: 5,
      isForward: 1,
      forwardDeviceId: deviceId,
      forwardSensorId: pump,
      forwardValue: 1,
      weekDay: [1, 2],
      timePeriod: '08:00-18:00',
    })
    expect(made.body).toMatchObject({ flag: '00', id: expect.any(Number) })
    const [row] = (await call('alarms/getAlarms', { deviceId, currPage: 1, pageSize: 99 })).body.dataList
    expect(row).toMatchObject({
      id: made.body.id,
      deviceId,
      sensorId: temperature,
      alarmType: 8,
      heightValue: 30.5,
      duration: 5,
      active: 1,
      isForward: 1,
    })
    for (let alarmType = 1; alarmType <= 15; alarmType++) {
      const one = { deviceId, sensorId: alarmType === 12 || alarmType === 13 ? pump : temperature, alarmType }
      const reply = await call('alarms/addAlarms', { ...one, heightValue: 9, belowValue: 3, duration: 1 })
      expect(reply.body, `alarmType ${alarmType}`).toMatchObject({ flag: '00' })
    }
    const { id } = made.body
    expect((await call('alarms/activeAlarms', { id, active: 0 })).body.flag).toBe('00')
    expect((await call('alarms/activeAlarms', { id, active: 1 }, 'stranger')).body).toMatchObject({ flag: '01' })
    const change = { id, deviceId, sensorId: temperature, alarmType: 1, heightValue: 40 }
    expect((await call('alarms/updateAlarms', change)).body).toMatchObject({ flag: '00' })
    const all = (await call('alarms/getAlarms', { deviceId, pageSize: 99 })).body.dataList as { id: number }[]
    expect(all).toHaveLength(16)
    expect(all.find(each => each.id === id)).toMatchObject({ alarmType: 1, heightValue: 40, active: 0 })
    expect((await call('alarms/addAlarms', { deviceId, sensorId: temperature, alarmType: 16 })).body).toMatchObject({
      flag: '01',
      msg: 'alarmType: 1-15',
    })
    expect((await call('alarms/addAlarms', { deviceId, sensorId: temperature, alarmType: 1 })).body).toMatchObject({
      flag: '01',
      msg: 'heightValue',
    })
    expect((await call('alarms/deleteAlarms', { id })).body.flag).toBe('00')
    expect((await call('alarms/getAlarmsHistory', { deviceId })).body).toMatchObject({ flag: '00', dataList: [] })
  })

  it('makes timed tasks for a switch and for a value, and shows them as they came', async () => {
    const { deviceId, temperature, pump } = await house()
    const daily = { deviceId, sensorId: pump, weekDay: '1,3,5', startTime: '08:00', endTime: '18:00', value: 1 }
    const made = await call('scheduler/addScheduler', { schedulerName: 'Lights', ...daily })
    expect(made.body).toMatchObject({ flag: '00', id: expect.any(Number) })
    const { id } = made.body
    const [row] = (await call('scheduler/getScheduler', { status: 1 })).body.dataList
    expect(row).toMatchObject({
      id,
      schedulerName: 'Lights',
      deviceId,
      sensorId: pump,
      value: 1,
      endValue: 0,
      weekDay: [1, 3, 5],
      startTime: '08:00',
      endTime: '18:00',
      status: 1,
    })
    const level = { deviceId, sensorId: temperature, startTime: '07:30', value: '21.5' }
    expect((await call('scheduler/addScheduler', { ...level, endTime: '09:00' })).body).toMatchObject({
      flag: '01',
      msg: 'endValue',
    })
    expect((await call('scheduler/updateScheduler', { id, ...level })).body.flag).toBe('00')
    expect((await call('scheduler/activeScheduler', { id, status: 0 })).body.flag).toBe('00')
    const [changed] = (await call('scheduler/getScheduler', { status: '0' })).body.dataList
    expect(changed).toMatchObject({
      id,
      sensorId: temperature,
      value: 21.5,
      startTime: '07:30',
      endTime: '',
      status: 0,
    })
    expect((await call('scheduler/deleteScheduler', { id }, 'stranger')).body).toMatchObject({ flag: '01', msg: 'id' })
    expect((await call('scheduler/deleteScheduler', { id })).body.flag).toBe('00')
    expect((await call('scheduler/getScheduler')).body.dataList).toEqual([])
  })

  it('tells the contacts of a trigger, and no other company’s', async () => {
    const { deviceId, temperature } = await house()
    const contact = async (name: string, as = 'owner') =>
      (await call('alarms/addContacts', { name, email: `${name}@example.com` }, as)).body.id as number
    const [day, night, strange] = [await contact('day'), await contact('night'), await contact('strange', 'stranger')]
    const alarm = { deviceId, sensorId: temperature, alarmType: 1, heightValue: 30 }
    const told = async (id: number) => {
      const { dataList } = (await call('alarms/getAlarms', { deviceId, pageSize: 99 })).body
      return (dataList as { id: number; contactIds: number[] }[]).find(each => each.id === id)?.contactIds
    }
    const { id } = (await call('alarms/addAlarms', { ...alarm, contactIds: [day, String(night)] })).body
    expect(new Set(await told(id))).toEqual(new Set([day, night]))
    expect((await call('alarms/updateAlarms', { id, ...alarm })).body.flag).toBe('00')
    expect(new Set(await told(id))).toEqual(new Set([day, night]))
    expect((await call('alarms/updateAlarms', { id, ...alarm, contactIds: `${night},` })).body.flag).toBe('00')
    expect(await told(id)).toEqual([night])
    // Refused before anything is made.
    const before = (await call('alarms/getAlarms', { deviceId, pageSize: 99 })).body.dataList
    for (const contactIds of [[strange], 'x', [night, '1.5']])
      expect((await call('alarms/addAlarms', { ...alarm, contactIds })).body).toMatchObject({ flag: '01' })
    expect((await call('alarms/getAlarms', { deviceId, pageSize: 99 })).body.dataList).toEqual(before)
    expect((await call('alarms/updateAlarms', { id, ...alarm, contactIds: [] })).body.flag).toBe('00')
    expect(await told(id)).toEqual([])
  })

  it('begins with a name and a password, leaving no session', async () => {
    const login = async (body: object) => {
      const reply = await app.inject({ method: 'POST', url: '/compat/tlink/api/user/userLogin', payload: body })
      expect(reply.statusCode).toBe(200)
      return reply.json()
    }
    const sessions = async () =>
      (await db.superuser.query(`select count(*)::int as n from refresh_families where revoked_at is null`)).rows[0].n
    const open = await sessions()
    const account = await login({ userName: 'owner', password: PASSWORD, apiKey: 'as the vendor gave it' })
    expect(account).toMatchObject({
      flag: '00',
      clientId: expect.any(String),
      secret: expect.any(String),
      userId: (await call('user/getUserInfo')).body.userId,
      userName: 'owner',
      balance: expect.any(String),
    })
    expect(await sessions()).toBe(open)
    // What it answered is what the token is asked for with.
    const token = await app.inject({
      method: 'POST',
      url: `/compat/tlink/oauth/token?grant_type=password&username=owner&password=${encodeURIComponent(PASSWORD)}`,
      headers: {
        authorization: `Basic ${Buffer.from(`${account.clientId}:${account.secret}`).toString('base64')}`,
      },
    })
    expect(token.json()).toMatchObject({ access_token: expect.any(String), clientId: account.clientId })
    expect(await login({ userName: 'owner', password: 'nothing' })).toMatchObject({
      flag: '01',
      code: 'auth.wrong_credentials',
    })
    expect(await login({ userName: 'owner' })).toEqual({ flag: '01', msg: 'password' })
    expect(await login({ password: PASSWORD })).toEqual({ flag: '01', msg: 'userName' })
  })

  it('lists the cloud pages that are published', async () => {
    const send = (path: string, payload: object) =>
      app.inject({
        method: 'POST',
        url: `/api/v1${path}`,
        headers: { authorization: `Bearer ${tokens.get('owner')}` },
        payload,
      })
    const make = async (name: string) =>
      (await send('/pages', { name, suffix: name.toLowerCase(), scene: emptyScene('canvas') })).json().id as string
    const [shown] = [await make('Shown'), await make('Draft')]
    expect((await send(`/pages/${shown}/publish`, {})).statusCode).toBe(200)
    expect((await call('yunzutai/getYunzutaiList')).body).toMatchObject({
      flag: '00',
      dataList: [{ id: expect.any(Number), appName: 'Shown', url: expect.stringMatching(/^https?:.*\/page\/shown$/) }],
    })
    expect((await call('yunzutai/getYunzutaiList', {}, 'stranger')).body.dataList).toEqual([])
  })

  it('tells who is signed in, and changes the name', async () => {
    expect((await call('user/updateUserInfo', { contactName: 'Miss Li' })).body.flag).toBe('00')
    expect((await call('user/getUserInfo')).body).toMatchObject({
      flag: '00',
      contactName: 'Miss Li',
      balance: expect.stringMatching(/^\d+\.\d\d$/),
      smsCount: expect.any(Number),
    })
    expect((await call('user/updateUserInfo', { mobile: '13800000009' })).body).toMatchObject({
      flag: '01',
      msg: 'verifyCode',
    })
    expect((await call('user/updateUserInfo', { address: '苏州市工业园区' })).body.flag).toBe('00')
    expect((await call('user/getUserInfo')).body).toMatchObject({ address: '苏州市工业园区', contactName: 'Miss Li' })
    expect((await call('user/updateUserInfo', { address: 'x'.repeat(65), contactName: 'Nobody' })).body).toMatchObject({
      flag: '01',
      msg: 'address: 0-64',
    })
    expect((await call('user/getUserInfo')).body.contactName).toBe('Miss Li')
  })

  it('sends a code to the own phone, and takes a new password with it', async () => {
    await db.superuser.query("update logins set phone = '13800000007' where username = 'stranger'")
    const ask = (path: string, body: object) => call(path, body, 'stranger').then(reply => reply.body)
    expect(await ask('user/updatePassword', { password: 'Another 4 tests' })).toMatchObject({
      flag: '01',
      msg: 'verifyCode',
    })
    expect(await ask('user/updatePassword', { verifyCode: '123456' })).toMatchObject({ flag: '01', msg: 'password' })
    expect(await ask('user/getVerifyCode', { mobile: '13800000007' })).toMatchObject({ flag: '00' })
    const { items } = (await app.inject({ url: '/oauth/simulated-sms' })).json() as {
      items: { phone: string; text: string }[]
    }
    const code = /\d{6}/.exec(items.find(({ phone }) => phone.endsWith('13800000007'))!.text)![0]
    const wrong = code === '111111' ? '222222' : '111111'
    expect(await ask('user/updatePassword', { password: 'Another 4 tests', verifyCode: wrong })).toMatchObject({
      flag: '01',
    })
    expect(await ask('user/updatePassword', { password: 'Another 4 tests', verifyCode: Number(code) })).toMatchObject({
      flag: '00',
    })
    const signIn = (password: string) =>
      app.inject({
        method: 'POST',
        url: `/compat/tlink/oauth/token?grant_type=password&username=stranger&password=${encodeURIComponent(password)}`,
      })
    expect((await signIn('Another 4 tests')).statusCode).toBe(200)
    expect((await signIn(PASSWORD)).statusCode).toBe(401)
  })
})

describe('reads with GET, as the vendor writes them', () => {
  let at: AddressInfo
  beforeAll(async () => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    at = app.server.address() as AddressInfo
  })

  /** Node's client sends a body with GET; `fetch` does not. */
  function get(path: string, body?: string | Buffer, token = tokens.get('owner')) {
    return new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
      const asked = request(
        {
          ...{ host: at.address, port: at.port, method: 'GET', path: `/compat/tlink/api/${path}` },
          headers: {
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          },
        },
        reply => {
          const chunks: Buffer[] = []
          reply.on('data', (chunk: Buffer) => chunks.push(chunk))
          reply.on('end', () =>
            resolve({ status: reply.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) }),
          )
          reply.on('error', reject)
        },
      )
      asked.on('error', reject)
      asked.end(body)
    })
  }

  it('takes the fields of the query and those of a body', async () => {
    const { deviceId, temperature } = await house()
    const { dataList } = (await get('device/getDevices?currPage=1&pageSize=100')).body
    expect((dataList as { id: number }[]).map(row => row.id)).toContain(deviceId)
    for (const reply of [
      await get(`device/getSingleDeviceDatas?deviceId=${deviceId}`),
      await get('device/getSingleDeviceDatas', JSON.stringify({ userId: 1, deviceId })),
      await get('device/getSingleDeviceDatas?deviceId=1', JSON.stringify({ deviceId: String(deviceId) })),
    ])
      expect(reply).toMatchObject({ status: 200, body: { flag: '00', device: { id: deviceId } } })
    expect(await get(`device/getSingleSensorDatas?sensorId=${temperature}`)).toMatchObject({
      body: { flag: '00', sensorId: temperature },
    })
    expect(await get('user/getUserInfo')).toMatchObject({ status: 200, body: { flag: '00', userName: 'owner' } })
  })

  it('refuses what is no JSON object, too long or of a wrong form, and asks who it is first', async () => {
    for (const body of ['{', '[1]', '"x"', Buffer.from([0x7b, 0xff, 0x7d])])
      expect(await get('device/getDevices', body)).toMatchObject({ status: 400, body: { code: 'request.malformed' } })
    expect(await get('device/getDevices', JSON.stringify({ pad: 'x'.repeat(65_536) }))).toMatchObject({
      status: 413,
      body: { code: 'request.too_large' },
    })
    expect(await get('device/getDevices', '{"pageSize":{}}')).toMatchObject({
      status: 422,
      body: { code: 'request.validation', fields: { pageSize: expect.anything() } },
    })
    expect((await get('device/getDevices', '{', '')).status).toBe(401)
    expect((await get('user/getUserInfo')).status).toBe(200)
  })

  it('is not taken for what changes something, nor as HEAD', async () => {
    for (const path of ['device/addDevice', 'alarms/addContacts', 'user/updateUserInfo', 'user/userLogin'])
      expect((await get(path)).status, path).toBe(404)
    const head = await app.inject({
      method: 'HEAD',
      url: '/compat/tlink/api/user/getVerifyCode?mobile=13800000001',
      headers: { authorization: `Bearer ${tokens.get('owner')}` },
    })
    expect(head.statusCode).toBe(404)
  })
})
