// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/timed-tasks'
const task = {
  id: '0190a0a0-0000-7000-8000-000000000001',
  name: 'Night pumps',
  description: '',
  state: 'enabled',
  fault: null,
  kind: 'pair',
  schedule: { kind: 'pair', zone: 'UTC', on: '22:00', off: { sun: 'sunrise', offsetMinutes: -30 }, days: [1, 5] },
  calendarId: null,
  actions: [
    { kind: 'command', scope: { deviceIds: ['d1'] }, command: { kind: 'property_set', params: { pump: true } } },
    { kind: 'delay', seconds: 120 },
  ],
  offActions: [
    { kind: 'command', scope: { deviceIds: ['d1'] }, command: { kind: 'property_set', params: { pump: false } } },
  ],
  names: { d1: 'Pump 1' },
  misfire: 'skip',
  misfireMinutes: 30,
  nextRunAt: '2027-01-01T22:00:00.000Z',
  lastRunAt: null,
  lastState: null,
  ownerId: null,
  ownerName: 'li',
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

function type(input: HTMLInputElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, text)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

const button = (name: string) =>
  [...document.querySelectorAll('button')].find(each => each.textContent?.trim() === name)!

describe('the page of timed tasks', () => {
  it('says when each runs and what it does', async () => {
    const opened = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([task]) })
    await expect.poll(opened.text).toContain('Night pumps')
    expect(opened.text()).toContain('Mon, Fri · 22:00 → 30 minutes before sunrise')
    expect(opened.text()).toContain('Pump 1: pump = true; Wait 2 minutes; Pump 1: pump = false')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No timed tasks yet')
    const forbidden = await openConsole('/manage/user/center/timedTasks', { ...company, [LIST]: () => page([task]) }, [
      'product:read',
    ])
    await expect.poll(forbidden.text).toContain('timed-task:read')
    expect(forbidden.requests.filter(request => request.includes('/timed-tasks'))).toEqual([])
  })

  it('shows the next runs of what is typed, and says at the field what is wrong', async () => {
    const bodies: Record<string, unknown>[] = []
    const opened = await openConsole('/manage/user/center/timedTasks?task=new&deviceId=d1', {
      ...company,
      [LIST]: () => page([]),
      'GET /api/v1/devices/d1/thing-model': () => ({
        model: { properties: [{ identifier: 'pump', name: 'Pump', dataType: { type: 'bool' }, access: 'rw' }] },
      }),
      'POST /api/v1/timed-tasks/preview': () => ({
        zone: 'Asia/Shanghai',
        items: [{ at: '2027-01-01T00:00:00.000Z', edge: 'on' }],
      }),
      'POST /api/v1/timed-tasks': (_, body) => {
        bodies.push(body as Record<string, unknown>)
        return refusal(422, 'timed_task.invalid', {
          fields: { 'actions.0.command': { code: 'command.confirm_required', message: 'it asks first' } },
        })
      },
    })
    const find = <E extends Element>(selector: string) => document.querySelector<E>(selector)
    await expect.poll(opened.text).toContain('Time zone Asia/Shanghai')
    type(find<HTMLInputElement>('input[id$="-name"]')!, 'Night')
    const pair = [...document.querySelectorAll<HTMLElement>('.ant-segmented-item')].find(
      each => each.textContent === 'On/off pair',
    )!
    pair.querySelector('input')!.click()
    await expect.poll(opened.text).toContain('At the end')
    await expect.poll(() => find('[aria-label="Property"]')).not.toBeNull()
    button('Save and enable').click()
    await expect.poll(opened.text).toContain('it asks first')
    expect(bodies[0]).toMatchObject({
      name: 'Night',
      enabled: true,
      schedule: { kind: 'pair', on: '08:00', off: '18:00' },
      actions: [{ kind: 'command', scope: { deviceIds: ['d1'] } }],
    })
  })
})
