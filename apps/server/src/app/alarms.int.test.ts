import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import type { DryRunView, TriggerRunView } from '@thingwright/contracts/triggers.contract'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startWebhookReceiver } from '../../../../tools/simulators/webhook/webhook-receiver.ts'
import { type TriggerHouse, triggerHouse } from './testing/trigger-house.ts'

let house: TriggerHouse
beforeAll(async () => {
  house = await triggerHouse({ outboundAllow: ['127.0.0.0/8'] })
  for (const { runs } of [house.container.triggers]) for (const run of runs ?? []) await run.start?.()
}, 120_000)
afterAll(async () => {
  for (const run of house.container.triggers.runs ?? []) await run.stop()
  await house.end()
})
afterEach(() => house.tidy())

const above = (deviceId: string, over: object = {}) =>
  house.trigger({ scope: { deviceIds: [deviceId] }, kind: 'above', property: 'temperature', high: 8, ...over })

async function raised(name: string, over: object = {}): Promise<{ device: string; trigger: string; alarm: AlarmView }> {
  const device = await house.device(name)
  const trigger = await above(device, over)
  await house.say(device, { temperature: 9 })
  const [alarm] = await house.until(`triggerId=${trigger.id}`, items => items.length === 1)
  return { device, trigger: trigger.id, alarm: alarm! }
}

const act = <T = AlarmView>(id: string, what: string, body: object = {}) =>
  house.call<T>('POST', `/alarms/${id}/${what}`, house.owner, body)

const runOf = async (trigger: string) =>
  (await house.call<{ items: TriggerRunView[] }>('GET', `/triggers/${trigger}/runs`, house.owner)).body.items

describe('what people do about an alarm', () => {
  it('is told in its trail, and neither axis touches the other', async () => {
    const { alarm, device } = await raised('worked on')
    const me = (await house.call<{ id: string }>('GET', '/me', house.owner)).body.id
    expect((await act(alarm.id, 'assign', { assigneeId: me })).body).toMatchObject({
      work: 'in_progress',
      assigneeId: me,
      acknowledged: false,
      active: true,
    })
    expect((await act(alarm.id, 'comment', { text: 'going there' })).status).toBe(200)
    const level = async () => (await house.call<{ alarmLevel: number }>('GET', `/devices/${device}`, house.owner)).body
    expect(await level()).toMatchObject({ alarmLevel: 3 })
    expect((await act(alarm.id, 'shelve', { minutes: 10 })).body.shelvedUntil).not.toBeNull()
    expect(await level()).toMatchObject({ alarmLevel: 0 })
    await act(alarm.id, 'unshelve')
    expect(await level()).toMatchObject({ alarmLevel: 3 })
    expect((await act(alarm.id, 'handle', { result: 'door was open' })).body).toMatchObject({
      work: 'done',
      result: 'door was open',
      acknowledged: true,
      active: true,
    })
    await act(alarm.id, 'reopen')
    expect((await act(alarm.id, 'ignore')).body).toMatchObject({ work: 'ignored', active: true })
    expect(await level()).toMatchObject({ alarmLevel: 0 })
    const { body } = await house.call<{ items: { kind: string; text: string | null }[] }>(
      'GET',
      `/alarms/${alarm.id}/events`,
      house.owner,
    )
    expect(body.items.map(one => one.kind)).toEqual([
      'raised',
      'assigned',
      'commented',
      'shelved',
      'unshelved',
      'handled',
      'reopened',
      'ignored',
    ])
    expect((await act(alarm.id, 'assign', { assigneeId: device })).body).toMatchObject({
      code: 'alarm.assignee_unknown',
    })
  })

  it('can be done to many at once, each told apart', async () => {
    const [one, two] = [await raised('many 1'), await raised('many 2')]
    const gone = '0190b6c2-7b1e-7aaa-8000-0000000000aa'
    const reply = await house.call<{ done: number; failed: { id: string; code: string }[] }>(
      'POST',
      '/alarms/batch',
      house.owner,
      { ids: [one.alarm.id, two.alarm.id, gone], action: 'ack' },
    )
    expect(reply.body).toMatchObject({ done: 2, failed: [{ id: gone, code: 'alarm.not_found' }] })
    expect((await house.alarms(`triggerId=${one.trigger}`))[0]).toMatchObject({ acknowledged: true })
  })

  it('shows in figures, in the export and in the levels that the company named', async () => {
    const { alarm, device } = await raised('figures')
    await act(alarm.id, 'ack')
    const counts = await house.call<Record<string, unknown>>('GET', `/alarms/counts?deviceId=${device}`, house.owner)
    expect(counts.body).toMatchObject({ active: 1, unacknowledged: 0, devices: 1, raisedToday: 1 })
    expect(counts.body.byLevel).toEqual([1, 2, 3, 4, 5].map(level => ({ level, active: level === 3 ? 1 : 0 })))
    await act(alarm.id, 'clear')
    const statistics = await house.call<Record<string, unknown>>(
      'GET',
      `/alarms/statistics?deviceId=${device}&zone=Asia/Shanghai`,
      house.owner,
    )
    expect(statistics.body).toMatchObject({
      total: 1,
      active: 0,
      mttaMs: expect.any(Number),
      mttrMs: expect.any(Number),
      topDevices: [{ deviceId: device, total: 1, active: 0 }],
    })
    const levels = await house.call<{ items: { name: string }[]; version: number }>('GET', '/alarm-levels', house.owner)
    expect(levels.body.items).toHaveLength(5)
    const named = levels.body.items.map((level, i) => (i === 2 ? { ...level, name: '三级' } : level))
    const set = await house.call('PUT', '/alarm-levels', house.owner, { items: named, version: levels.body.version })
    expect(set.status, set.text).toBe(200)
    const again = await house.call('PUT', '/alarm-levels', house.owner, { items: named, version: levels.body.version })
    expect(again.body.code).toBe('version.conflict')
    const file = await house.call('GET', `/alarms/export?format=csv&deviceId=${device}`, house.owner)
    expect(file.status).toBe(200)
    expect(file.bytes.toString()).toContain('三级')
    expect(file.bytes.toString()).toContain('temperature=9')
  })

  it('waits among what needs attention until it is acknowledged, for whoever may see it', async () => {
    const waiting = async (token: string) => {
      const { body } = await house.call<{ items: { kind: string; count: number; level: string }[] }>(
        'GET',
        '/statistics/attention',
        token,
      )
      return body.items.find(({ kind }) => kind === 'alarms_open')
    }
    const member = await house.member(['alarm:read', 'device:read'])
    const before = (await waiting(house.owner))?.count ?? 0
    const { alarm } = await raised('needs attention', { alarm: { level: 4 } })
    expect(await waiting(house.owner)).toMatchObject({ count: before + 1, level: 'critical' })
    expect(await waiting(member.token)).toBeUndefined()
    await act(alarm.id, 'ack')
    expect((await waiting(house.owner))?.count ?? 0).toBe(before)
  })

  it('is open to whoever may see its device, and to nobody else', async () => {
    const { alarm } = await raised('out of sight')
    const member = await house.member(['alarm:read', 'alarm:acknowledge', 'device:read'])
    const list = await house.call<{ items: unknown[] }>('GET', '/alarms', member.token)
    expect(list.body.items).toEqual([])
    expect((await house.call('GET', `/alarms/${alarm.id}`, member.token)).status).toBe(404)
    expect((await house.call('POST', `/alarms/${alarm.id}/ack`, member.token, {})).status).toBe(404)
    const inside = await house.device('in sight', { groupId: house.groups.inside })
    const trigger = await above(inside)
    await house.say(inside, { temperature: 9 })
    const [seen] = await house.until(`triggerId=${trigger.id}`, items => items.length === 1)
    const theirs = await house.call<{ items: AlarmView[] }>('GET', '/alarms', member.token)
    expect(theirs.body.items.map(one => one.id)).toEqual([seen!.id])
    const file = await house.call('GET', '/alarms/export?format=csv', member.token)
    expect(file.status).toBe(200)
    expect(file.bytes.toString()).not.toContain('out of sight')
    const batch = await house.call<{ done: number; failed: { id: string; code: string }[] }>(
      'POST',
      '/alarms/batch',
      member.token,
      { ids: [alarm.id], action: 'ack' },
    )
    expect(batch.body).toMatchObject({ done: 0, failed: [{ id: alarm.id, code: 'alarm.not_found' }] })
    expect((await house.call('POST', `/alarms/${seen!.id}/ack`, member.token, {})).status).toBe(200)
    expect((await house.call('POST', `/alarms/${seen!.id}/clear`, member.token, {})).status).toBe(403)
    // His own trigger watches no more than he may see.
    await house.become(member, ['trigger:write', 'trigger:read', 'alarm:read'], {
      kind: 'groups',
      groupIds: [house.groups.inside],
    })
    const wide = await house.call<{ devices: number }>('POST', '/triggers', member.token, {
      name: 'Mine',
      scope: { productIds: [house.productId] },
      kind: 'above',
      property: 'temperature',
      high: 1,
      alarm: { level: 1 },
    })
    expect(wide.status, wide.text).toBe(201)
    expect(wide.body.devices).toBe(1)
    const triggers = await house.call<{ done: number; failed: { code: string }[] }>(
      'POST',
      '/triggers/batch',
      member.token,
      { ids: [trigger.id], action: 'remove' },
    )
    expect(triggers.body).toMatchObject({ done: 0, failed: [{ code: 'trigger.not_found' }] })
    await house.call('DELETE', `/triggers/${(wide.body as unknown as { id: string }).id}`, member.token)
  })

  it('is counted as often as it is seen, and can be a new one each time', async () => {
    const device = await house.device('again')
    const counted = await above(device, { repeatSeconds: 0 })
    const renewed = await above(device, { repeatSeconds: 0, alarm: { level: 2, renew: true } })
    for (const temperature of [9, 10, 11]) await house.say(device, { temperature })
    const [alarm] = await house.until(`triggerId=${counted.id}`, ([one]) => one?.count === 3)
    expect(alarm).toMatchObject({ peak: 11, raiseValues: [{ value: 9 }] })
    const seen = await house.call<{ items: { count: number }[] }>(
      'GET',
      `/alarms/${alarm!.id}/occurrences`,
      house.owner,
    )
    expect(seen.body.items.map(one => one.count)).toEqual([3, 2, 1])
    const all = await house.until(`triggerId=${renewed.id}`, items => items.length === 3)
    expect(all.map(one => [one.active, one.clearedBy])).toEqual([
      [true, null],
      [false, 'renewed'],
      [false, 'renewed'],
    ])
  })
})

describe('what a trigger does', () => {
  it('writes a worked out value to a device, posts a signed webhook and puts a notice into the inbox', async () => {
    const device = await house.device('acts')
    const trigger = await above(device, {
      actions: [
        { kind: 'command', command: { kind: 'property_set', params: { limit: '=values.temperature * 2 - 1' } } },
        { kind: 'notify', title: '{trigger}: {values.temperature}' },
        { kind: 'notify', on: 'clear' },
      ],
    })
    await house.say(device, { temperature: 9 })
    await house.until(`triggerId=${trigger.id}`, items => items.length === 1)
    await vi.waitUntil(async () => (await runOf(trigger.id))[0]?.actions.every(one => one.result !== 'pending'), {
      timeout: 20_000,
    })
    const [run] = await runOf(trigger.id)
    expect(run!.actions).toMatchObject([
      { kind: 'command', result: 'done', commandId: expect.any(String) },
      { kind: 'notify', result: 'done' },
    ])
    const command = await house.call<{ params: object; source: string }>(
      'GET',
      `/devices/${device}/commands/${run!.actions[0]!.commandId}`,
      house.owner,
    )
    expect(command.body).toMatchObject({ source: 'trigger', params: { limit: 17 } })
    const inbox = await house.call<{ items: { kind: string; title: { zh: string } }[] }>('GET', '/inbox', house.owner)
    expect(inbox.body.items[0]).toMatchObject({ kind: 'alarm.raised', title: { zh: 'Cold room: 9' } })
  })

  it('is done with the rights of its owner at that moment', async () => {
    const member = await house.member(['trigger:read', 'trigger:write', 'alarm:read', 'device:read'], { kind: 'all' })
    const device = await house.device('not his to write')
    const made = await house.call<{ id: string }>('POST', '/triggers', member.token, {
      name: 'No right',
      scope: { deviceIds: [device] },
      kind: 'above',
      property: 'temperature',
      high: 8,
      alarm: { level: 1 },
      actions: [{ kind: 'command', command: { kind: 'property_set', params: { limit: 1 } } }],
    })
    expect(made.status, made.text).toBe(201)
    house.look()
    await vi.waitUntil(() => house.container.triggers.catalogue.about(made.body.id) !== undefined, { timeout: 20_000 })
    await house.say(device, { temperature: 9 })
    await vi.waitUntil(async () => (await runOf(made.body.id))[0]?.actions[0]?.result === 'skipped', {
      timeout: 20_000,
    })
    await house.become(member, ['device:read'], { kind: 'all' })
    await vi.waitUntil(
      async () =>
        (await house.call<{ state: string }>('GET', `/triggers/${made.body.id}`, house.owner)).body.state === 'error',
      { timeout: 20_000 },
    )
    await house.become(member, ['device:read', 'trigger:write'], { kind: 'all' })
    await vi.waitUntil(
      async () =>
        (await house.call<{ state: string }>('GET', `/triggers/${made.body.id}`, house.owner)).body.state === 'enabled',
      { timeout: 20_000 },
    )
    await house.call('DELETE', `/triggers/${made.body.id}`, house.owner)
  }, 60_000)

  it('tells nobody of a device in maintenance', async () => {
    const device = await house.device('in maintenance')
    const until = new Date(Date.now() + 600_000).toISOString()
    const set = await house.call('PUT', `/devices/${device}/maintenance`, house.owner, { until, reason: 'new probe' })
    expect(set.body).toMatchObject({ until, reason: 'new probe', byName: 'owner' })
    const trigger = await above(device, { actions: [{ kind: 'notify' }] })
    await house.say(device, { temperature: 9 })
    const [alarm] = await house.until(`triggerId=${trigger.id}`, items => items.length === 1)
    expect(alarm).toMatchObject({ suppressed: true })
    await vi.waitUntil(async () => (await runOf(trigger.id))[0]?.actions[0]?.result === 'skipped', { timeout: 20_000 })
  })

  it('that goes round in a circle is paused, says so, and goes on when it is enabled', async () => {
    const device = await house.device('circle')
    const trigger = await above(device, {
      actions: [{ kind: 'command', command: { kind: 'property_set', params: { pump: true } } }],
    })
    for (let i = 0; i < 8; i++) for (const temperature of [9, 7]) await house.say(device, { temperature })
    const state = async () =>
      (await house.call<{ state: string; fault: object }>('GET', `/triggers/${trigger.id}`, house.owner)).body
    await vi.waitUntil(async () => (await state()).state === 'paused', { timeout: 20_000 })
    expect(await state()).toMatchObject({ fault: { code: 'loop', message: expect.any(String) } })
    const raised = await house.alarms(`triggerId=${trigger.id}`)
    expect(raised).toHaveLength(6)
    expect(raised.filter(({ isLoop, active }) => isLoop && active)).toMatchObject([{ level: 4, deviceId: device }])
    expect((await house.call('POST', `/triggers/${trigger.id}/enable`, house.owner)).body).toMatchObject({
      state: 'enabled',
    })
    await house.factsJudged()
    await house.say(device, { temperature: 9 })
    const later = await house.until(`triggerId=${trigger.id}`, items => items.length === 7)
    expect(later.filter(({ isLoop }) => isLoop)).toMatchObject([{ active: false, clearedBy: 'rule' }])
  }, 60_000)
})

describe('a dry run', () => {
  it('says of the last values what a trigger would do, and acts on nothing', async () => {
    const device = await house.device('tried')
    await house.say(device, { temperature: 9 })
    const rule = {
      scope: { deviceIds: [device] },
      kind: 'above',
      property: 'temperature',
      high: 8,
      alarm: { level: 2 },
      actions: [{ kind: 'notify' }],
    }
    const reply = await house.call<DryRunView>('POST', '/triggers/dry-run', house.owner, { trigger: rule })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body).toMatchObject({
      alarms: [{ deviceId: device, clearedAt: null, raiseValues: [{ value: 9 }] }],
      notices: 1,
      commands: 0,
    })
    expect(await house.alarms(`deviceId=${device}`)).toEqual([])
  })

  it('over recorded time comes to the alarms that were raised live', async () => {
    const device = await house.device('recorded')
    const trigger = await above(device, { kind: 'above', deadBand: 1 })
    const start = house.now() - 1_000
    const course = [7, 9, 7.5, 9.5, 6.9, 8, 8.2, 3]
    for (const temperature of course) {
      await house.say(device, { temperature })
      // Of one millisecond history keeps one value.
      house.forward(1_000)
    }
    const live = await house.until(
      `triggerId=${trigger.id}`,
      items => items.length === 2 && items.every(a => !a.active),
    )
    const reply = await house.call<DryRunView>('POST', '/triggers/dry-run', house.owner, {
      id: trigger.id,
      from: start,
      to: house.now() + 1_000,
    })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.rows).toBe(course.length)
    expect(reply.body.alarms.map(one => [one.raisedAt, one.clearedAt])).toEqual(
      live.reverse().map(one => [Date.parse(one.raisedAt), Date.parse(one.clearedAt!)]),
    )
  })
})

describe('a webhook', () => {
  it('gets the alarm signed, once more when it was not taken, and never shows its secret', async () => {
    const secret = 'a-secret-of-thirty-two-characters'
    const receiver = await startWebhookReceiver({ secret })
    try {
      receiver.behave({ kind: 'status', status: 503 })
      const device = await house.device('posts')
      const trigger = await above(device, { actions: [{ kind: 'webhook', url: receiver.url, secret }] })
      expect(JSON.stringify(trigger)).not.toContain(secret)
      await house.say(device, { temperature: 9 })
      await vi.waitUntil(() => receiver.requests > 0, { timeout: 20_000 })
      expect((await runOf(trigger.id))[0]).toMatchObject({ actions: [{ kind: 'webhook', attempts: 1 }] })
      receiver.behave({ kind: 'take' })
      await vi.waitUntil(() => receiver.items.length > 0, { timeout: 30_000 })
      expect(receiver.items[0]).toMatchObject({
        type: 'alarm.raised',
        deviceId: device,
        data: { triggerId: trigger.id, level: 3, values: [{ property: 'temperature', value: 9 }] },
      })
      expect(receiver.faults).toEqual([])
    } finally {
      await receiver.close()
    }
  }, 60_000)
})

describe('what is over', () => {
  const sweep = async (area: 'alarms' | 'triggers') => {
    for (const { run } of house.container[area].sweeps ?? []) await run(house.now())
  }
  const aged = (id: string, days: number) =>
    house.db.superuser.query(
      `update alarms set raised_at = raised_at - make_interval(days => $2), cleared_at = cleared_at - make_interval(days => $2) where id = $1`,
      [id, days],
    )

  it('is kept as long as the company says; an active alarm always is', async () => {
    const [old, young, open] = [await raised('cleared long ago'), await raised('cleared lately'), await raised('open')]
    for (const { alarm } of [old, young]) await act(alarm.id, 'clear')
    await aged(old.alarm.id, 41)
    await aged(young.alarm.id, 39)
    await aged(open.alarm.id, 5_000)
    await sweep('alarms')
    const ids = async () => new Set((await house.alarms('limit=100')).map(({ id }) => id))
    const before = await ids()
    expect([old, young, open].map(({ alarm }) => before.has(alarm.id))).toEqual([true, true, true])
    const set = (body: object) => house.call('PATCH', '/company/retention', house.owner, body)
    expect((await set({ alarmDays: 29 })).status).toBe(422)
    expect((await set({ alarmDays: 40, triggerRunDays: 7 })).status).toBe(200)
    await house.db.superuser.query(`update trigger_runs set at = at - interval '8 days' where trigger_id = $1`, [
      old.trigger,
    ])
    await sweep('alarms')
    await sweep('triggers')
    const left = await ids()
    expect([old, young, open].map(({ alarm }) => left.has(alarm.id))).toEqual([false, true, true])
    expect(await runOf(old.trigger)).toEqual([])
    expect(await runOf(young.trigger)).not.toEqual([])
  })
})
