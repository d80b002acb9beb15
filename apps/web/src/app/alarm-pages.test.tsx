// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { type Answers, openConsole, refusal } from './testing/open-console.tsx'

const RAISED = '2026-01-01T00:00:00.000Z'

/** An alarm as the server tells it. */
const alarm = (over: object = {}) => ({
  id: 'a1',
  triggerId: 't1',
  triggerName: 'Too warm',
  target: { kind: 'device', id: 'd1' },
  deviceId: 'd1',
  deviceName: 'Boiler',
  deviceNo: 'HEAT-1',
  productId: 'p1',
  productName: 'Heating',
  level: 4,
  active: true,
  acknowledged: false,
  work: 'open',
  assigneeId: null,
  assigneeName: null,
  count: 1,
  raisedAt: RAISED,
  lastAt: RAISED,
  clearedAt: null,
  clearedBy: null,
  acknowledgedAt: null,
  acknowledgedName: null,
  handledAt: null,
  handledName: null,
  result: null,
  photoIds: [],
  shelvedUntil: null,
  suppressed: false,
  merged: 0,
  stormId: null,
  raiseValues: [{ deviceId: 'd1', property: 'temperature', value: 31.5, ts: Date.parse(RAISED) }],
  clearValues: [],
  peak: 31.5,
  comments: 0,
  ...over,
})

const counts = (active: number) => ({
  active,
  unacknowledged: active,
  byLevel: active > 0 ? [{ level: 4, active }] : [],
  mine: 0,
  shelved: 0,
  suppressed: 0,
  devices: active,
  raisedToday: active,
})

const levels = {
  version: 1,
  items: [1, 2, 3, 4, 5].map(level => ({
    level,
    name: `级别${level}`,
    ename: `Own level ${level}`,
    color: '#123456',
    sound: 'none',
  })),
}

/** A company whose alarms are what the test says at the moment. */
const withAlarms = (now: () => object[]): Answers => ({
  ...company,
  'GET /api/v1/alarm-levels': () => levels,
  'GET /api/v1/alarms': url =>
    page(now().filter(each => (each as { active: boolean }).active === (url.searchParams.get('active') === '1'))),
  'GET /api/v1/alarms/counts': () => counts(now().filter(each => (each as { active: boolean }).active).length),
  'GET /api/v1/alarms/a1': () => now()[0] ?? refusal(404, 'alarm.not_found'),
  'GET /api/v1/alarms/a1/events': () => ({ items: [] }),
})

describe('the alarms of a company', () => {
  it('shows one that is raised while somebody looks, by the levels’ own names', async () => {
    let alarms: object[] = []
    const list = await openConsole(
      '/manage/user/center/alarm',
      withAlarms(() => alarms),
    )
    await expect.poll(list.text).toContain('No active alarms')
    await expect.poll(() => list.followed.has('alarms')).toBe(true)
    alarms = [alarm()]
    list.patch('alarms', 'a1', alarm())
    await expect.poll(list.text).toContain('Too warm')
    expect(list.text()).toContain('Own level 4')
    expect(list.text()).toContain('Unacknowledged')
  })

  it('asks for those that are over under their tab, and for none of them elsewhere', async () => {
    const list = await openConsole(
      '/manage/user/center/alarm?tab=ended',
      withAlarms(() => [alarm(), alarm({ id: 'a2', triggerName: 'Was cold', active: false, clearedAt: RAISED })]),
    )
    await expect.poll(list.text).toContain('Was cold')
    expect(list.text()).not.toContain('Too warm')
  })

  it('offers nothing that changes to who may only look', async () => {
    const list = await openConsole(
      '/manage/user/center/alarm?alarm=a1',
      withAlarms(() => [alarm()]),
      ['alarm:read'],
    )
    await expect.poll(list.text).toContain('31.5')
    expect([...document.querySelectorAll('button')].map(button => button.textContent)).not.toContain('Acknowledge')
  })

  it('shows a storm as its first alarm, and all of it where one asks for it', async () => {
    const asked: (string | null)[] = []
    const answers: Answers = {
      ...withAlarms(() => [alarm({ merged: 23 })]),
      'GET /api/v1/alarms': url => {
        asked.push(url.searchParams.get('merged'))
        const isWhole = url.searchParams.get('stormId') === 'a1'
        return page(
          isWhole
            ? [alarm({ merged: 23 }), alarm({ id: 'a2', deviceName: 'Second boiler', stormId: 'a1' })]
            : [alarm({ merged: 23 })],
        )
      },
    }
    const list = await openConsole('/manage/user/center/alarm', answers)
    await expect.poll(list.text).toContain('with 23 others of the same cause')
    expect(asked.at(-1)).toBe('1')
    document.querySelector<HTMLAnchorElement>('a[href$="stormId=a1"]')!.click()
    await expect.poll(list.text).toContain('Second boiler')
    expect(asked.at(-1)).toBeNull()
    expect(list.text()).toContain('One alarm storm')
  })

  it('ring on the wall with the sound of their level, once, and only where the browser was asked', async () => {
    let tones = 0
    class Silence {
      state = 'suspended'
      currentTime = 0
      destination = {}
      async resume() {
        this.state = 'running'
      }
      createGain() {
        return {
          gain: { setValueAtTime: () => undefined, exponentialRampToValueAtTime: () => undefined },
          connect: (to: object) => to,
        }
      }
      createOscillator() {
        return { frequency: { value: 0 }, connect: (to: object) => to, start: () => tones++, stop: () => undefined }
      }
    }
    Object.assign(window, { AudioContext: Silence })
    const answers = {
      ...withAlarms(() => []),
      'GET /api/v1/alarm-levels': () => ({
        ...levels,
        items: levels.items.map(each => (each.level === 4 ? { ...each, sound: 'bell' } : each)),
      }),
    }
    const wall = await openConsole('/manage/user/center/alarm?tab=wall', answers)
    await expect.poll(() => wall.followed.has('alarms')).toBe(true)
    const button = () => document.querySelector<HTMLButtonElement>('[data-testid="wall"] button[aria-pressed]')
    await expect.poll(() => button()?.getAttribute('aria-pressed')).toBe('false')
    wall.patch('alarms', 'a0', alarm({ id: 'a0' }))
    expect(tones).toBe(0)
    button()!.click()
    await expect.poll(() => button()?.getAttribute('aria-pressed')).toBe('true')
    // It says that it can be heard.
    expect(tones).toBe(2)
    wall.patch('alarms', 'a1', alarm())
    await expect.poll(() => tones).toBe(5)
    wall.patch('alarms', 'a1', alarm({ count: 2 }))
    wall.patch('alarms', 'a2', alarm({ id: 'a2', level: 3 }))
    wall.patch('alarms', 'a3', alarm({ id: 'a3', suppressed: true }))
    wall.patch('alarms', 'a4', alarm({ id: 'a4', stormId: 'a1' }))
    wall.patch('alarms', 'a5', alarm({ id: 'a5', acknowledged: true }))
    wall.patch('alarms', 'a6', alarm({ id: 'a6' }))
    // The last one rings, those between do not.
    await expect.poll(() => tones).toBe(8)
  })

  it('says so of an alarm that is gone', async () => {
    const list = await openConsole(
      '/manage/user/center/alarm?alarm=a1',
      withAlarms(() => []),
    )
    await expect.poll(list.text).toContain('Alarm not found')
  })
})

const trigger = (over: object = {}) => ({
  id: 't1',
  name: 'Too warm',
  description: '',
  state: 'enabled',
  fault: null,
  kind: 'above_for',
  scope: { deviceIds: ['d1'] },
  property: 'temperature',
  high: 30,
  minutes: 1,
  alarm: { level: 4 },
  scopeNames: ['Boiler'],
  fenceNames: {},
  devices: 1,
  openAlarms: 2,
  expiresAt: null,
  ownerId: null,
  ownerName: 'Ann',
  lastRunAt: null,
  version: 3,
  createdAt: RAISED,
  updatedAt: RAISED,
  ...over,
})

describe('triggers', () => {
  const answers: Answers = {
    ...company,
    'GET /api/v1/alarm-levels': () => levels,
    'GET /api/v1/triggers': () =>
      page([
        trigger(),
        trigger({
          id: 't2',
          name: 'Broken',
          state: 'error',
          fault: { code: 'property_gone', message: 'The property is gone', params: {} },
        }),
      ]),
    'GET /api/v1/triggers/t1': () => trigger(),
    'GET /api/v1/triggers/t2': () =>
      trigger({
        id: 't2',
        name: 'Broken',
        state: 'error',
        fault: { code: 'property_gone', message: 'The property is gone', params: {} },
      }),
  }

  it('are listed with what they watch for, in words', async () => {
    const list = await openConsole('/manage/user/center/trigger', answers)
    await expect.poll(list.text).toContain('Broken')
    expect(list.text()).toContain('temperature above 30 for 1 minute')
    expect(list.text()).toContain('Devices · 1 device')
  })

  it('say why they cannot be evaluated', async () => {
    const detail = await openConsole('/manage/user/center/trigger?id=t2', answers)
    await expect.poll(detail.text).toContain('The property is gone')
    expect(detail.text()).toContain('Trigger can’t be evaluated')
  })

  it('run a scene and raise an alarm of its own level, and the editor shows which', async () => {
    const actions = [
      { kind: 'scene', sceneId: 's1' },
      { kind: 'alarm', level: 5 },
    ]
    const editor = await openConsole('/manage/user/center/trigger?id=t1&edit=1', {
      ...answers,
      'GET /api/v1/triggers/t1': () => trigger({ actions }),
      'GET /api/v1/scenes': () => page([]),
      'GET /api/v1/scenes/s1': () => ({ id: 's1', name: 'Flush the line' }),
    })
    await expect.poll(editor.text).toContain('Flush the line')
    expect(editor.text()).toContain('Run scene')
    expect(editor.text()).toContain('Own level 5')
  })

  it('name what is missing before anything is sent', async () => {
    const editor = await openConsole('/manage/user/center/trigger?id=new', answers)
    await expect.poll(editor.text).toContain('Save and enable')
    const save = [...document.querySelectorAll('button')].find(button => button.textContent === 'Save and enable')!
    save.click()
    await expect.poll(() => document.querySelectorAll('[role="alert"][data-problem]').length).toBe(4)
    expect([...document.querySelectorAll('[data-problem]')].map(each => each.getAttribute('data-problem'))).toEqual([
      'name',
      'scope',
      'property',
      'high',
    ])
    expect(editor.requests.filter(request => request.startsWith('POST'))).toEqual([])
  })

  it('say of cards what is so now, and that their past and what happens once cannot be tried', async () => {
    let view: object = {}
    const ofCards = trigger({
      id: 't3',
      name: 'Cards used up',
      kind: 'object',
      scope: {},
      scopeNames: [],
      property: undefined,
      high: undefined,
      minutes: undefined,
      source: { type: 'sim.usage', percent: 80 },
    })
    const editor = await openConsole('/manage/user/center/trigger?id=t3&edit=1', {
      ...answers,
      'GET /api/v1/triggers/t3': () => ofCards,
      'POST /api/v1/triggers/dry-run': () => view,
    })
    const run = () => [...document.querySelectorAll('button')].find(button => button.textContent === 'Run')
    await expect.poll(() => run()?.disabled).toBe(false)
    const now = Date.parse(RAISED)
    const shown = {
      from: now,
      to: now,
      devices: 0,
      moreDevices: 0,
      objects: { kind: 'sim', looked: 12 },
      rows: 12,
      alarms: [
        {
          deviceId: null,
          deviceName: '8986001',
          level: 4,
          raisedAt: now,
          clearedAt: null,
          count: 1,
          raiseValues: [],
          clearValues: [],
        },
      ],
      notices: 0,
      commands: 0,
      actions: [],
      pausedAt: null,
      missing: ['objects'],
      moreAlarms: 0,
    }
    view = shown
    run()!.click()
    await expect.poll(editor.text).toContain('8986001')
    expect(editor.text()).toContain('12 SIM cards that were synced')
    expect(editor.text()).toContain('a past range cannot be replayed')
    view = { ...shown, alarms: [], missing: ['moments'] }
    run()!.click()
    await expect.poll(editor.text).toContain('happen once')
    expect(editor.text()).not.toContain('8986001')
  })
})
