// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, device, page } from './testing/company.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/company-transfers'
const transfer = {
  id: '0190a0a0-0000-7000-8000-000000000001',
  direction: 'out',
  state: 'offered',
  fromName: 'Acme',
  toName: '',
  withHistory: true,
  withTriggers: false,
  note: '',
  total: 3,
  moved: 0,
  failed: 0,
  products: [],
  paused: [],
  byName: 'li',
  acceptedName: '',
  taskId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2027-01-01T00:00:00.000Z',
  acceptedAt: null,
  endedAt: null,
}
const ended = {
  ...transfer,
  id: '0190a0a0-0000-7000-8000-000000000002',
  state: 'done',
  toName: 'Borealis',
  moved: 2,
  failed: 1,
  paused: [{ kind: 'trigger', id: 't1', name: 'Too warm' }],
  acceptedName: 'wu',
  acceptedAt: '2026-01-02T00:00:00.000Z',
  endedAt: '2026-01-02T00:01:00.000Z',
}
const item = {
  place: 1,
  deviceNo: 'P-1',
  name: 'Pump 1',
  ownerName: '',
  state: 'moved',
  reason: null,
  deviceId: null,
  movedAt: null,
}
const button = (name: string) =>
  [...document.querySelectorAll('button')].find(each => each.textContent?.trim() === name)!

describe('the page of transfers between companies', () => {
  it('says what goes where and how far it is', async () => {
    const opened = await openConsole('/manage/company-transfers', { ...company, [LIST]: () => page([transfer, ended]) })
    await expect.poll(opened.text).toContain('Borealis')
    expect(opened.text()).toContain('Not accepted yet')
    expect(opened.text()).toContain('2 of 3 moved')
    expect(opened.text()).toContain('With history · Without triggers')
  })

  it('says that there is nothing, and what was refused', async () => {
    const empty = await openConsole('/manage/company-transfers', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No transfers yet')
    const refused = await openConsole('/manage/company-transfers', {
      ...company,
      [LIST]: () => refusal(500, 'internal.error', { message: 'Broken' }),
    })
    await expect.poll(refused.text).toContain('Broken')
  })

  it('shows each device of a transfer, why it stayed, and what was paused', async () => {
    const failed = { ...item, place: 2, name: 'Pump 2', state: 'failed', reason: 'device.number_taken' }
    const opened = await openConsole(`/manage/company-transfers?transfer=${ended.id}`, {
      ...company,
      [LIST]: () => page([ended]),
      [`${LIST}/${ended.id}`]: () => ended,
      [`${LIST}/${ended.id}/devices`]: () => page([item, failed]),
    })
    await expect.poll(opened.text).toContain('The product has a device of this number')
    expect(opened.text()).toContain('Too warm')
    expect(opened.text()).toContain('Pump 1')
  })

  it('offers with a code what the other company gave, and takes it with the chosen products', async () => {
    const bodies: unknown[] = []
    const opened = await openConsole('/manage/company-transfers', {
      ...company,
      [LIST]: () => page([]),
      'GET /api/v1/products': () => page([]),
      'POST /api/v1/company-transfers/find': () => ({
        fromName: 'Borealis',
        withHistory: false,
        withTriggers: false,
        note: 'For the new site',
        total: 2,
        products: [{ id: 'p1', name: 'Pump', linkType: 'mqtt', nodeType: 'direct', devices: 2, to: null }],
        expiresAt: '2027-01-01T00:00:00.000Z',
      }),
      'POST /api/v1/company-transfers/accept': (_, body) => {
        bodies.push(body)
        return { ...ended, direction: 'in', fromName: 'Borealis' }
      },
      [`${LIST}/${ended.id}`]: () => ({ ...ended, direction: 'in', fromName: 'Borealis' }),
      [`${LIST}/${ended.id}/devices`]: () => page([item]),
    })
    await expect.poll(() => button('Take devices')).toBeDefined()
    button('Take devices').click()
    await expect.poll(() => document.querySelector<HTMLInputElement>('#transfer-code')).not.toBeNull()
    const input = document.querySelector<HTMLInputElement>('#transfer-code')!
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, 'ABCD-EFGH-JKLM-NPQR')
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await expect.poll(() => button('Show').disabled).toBe(false)
    button('Show').click()
    await expect.poll(opened.text).toContain('For the new site')
    button('Take 2 devices').click()
    await expect.poll(() => bodies).toEqual([{ code: 'ABCD-EFGH-JKLM-NPQR', products: [{ from: 'p1', to: null }] }])
    await expect.poll(opened.text).toContain('Pump 1')
  })

  it('offers the devices that an address brings, and does not ask for them again', async () => {
    const bodies: unknown[] = []
    const opened = await openConsole(`/manage/company-transfers?offer=${transfer.id},nonsense`, {
      ...company,
      [LIST]: () => page([]),
      'POST /api/v1/company-transfers': (_, body) => {
        bodies.push(body)
        return { ...transfer, code: 'ABCD-EFGH-JKLM-NPQR-STUV' }
      },
    })
    await expect.poll(opened.text).toContain('1 device was chosen')
    expect(document.querySelector('#transfer-what')).toBeNull()
    button('Make the code').click()
    await expect.poll(() => bodies).toMatchObject([{ target: { ids: [transfer.id] }, withHistory: true }])
    await expect.poll(opened.text).toContain('The code is shown only now')
  })

  it('is begun from the page of a device by its button', async () => {
    const bodies: unknown[] = []
    const opened = await openConsole('/manage/device/DeviceSet/DeviceCenter?id=d1', {
      ...company,
      [LIST]: () => page([]),
      'POST /api/v1/company-transfers': (_, body) => {
        bodies.push(body)
        return { ...transfer, code: 'ABCD-EFGH-JKLM-NPQR-STUV' }
      },
    })
    await expect.poll(() => button('More')).toBeDefined()
    button('More').click()
    const entry = () =>
      [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')].find(
        each => each.textContent?.trim() === 'Give to another company',
      )
    await expect.poll(entry).toBeDefined()
    entry()!.click()
    await expect.poll(opened.text).toContain('1 device was chosen')
    button('Make the code').click()
    await expect.poll(() => bodies).toMatchObject([{ target: { ids: ['d1'] } }])
  })

  it('is begun from the list of devices by the button of those that are chosen', async () => {
    const bodies: unknown[] = []
    const [first, second] = ['0190a0a0-0000-7000-8000-0000000000d1', '0190a0a0-0000-7000-8000-0000000000d2']
    const opened = await openConsole('/manage/device', {
      ...company,
      'GET /api/v1/devices': () =>
        page([
          device({ id: first, name: 'Pump 1' }),
          device({ id: second, name: 'Pump 2' }),
          device({ name: 'Pump 3' }),
        ]),
      [LIST]: () => page([]),
      'POST /api/v1/company-transfers': (_, body) => {
        bodies.push(body)
        return { ...transfer, code: 'ABCD-EFGH-JKLM-NPQR-STUV' }
      },
    })
    await expect.poll(opened.text).toContain('Pump 3')
    const box = (name: string) =>
      [...document.querySelectorAll('[data-testid="list"] tr')]
        .find(row => row.textContent?.includes(name))!
        .querySelector<HTMLInputElement>('input[type="checkbox"]')!
    box('Pump 1').click()
    box('Pump 2').click()
    // The bar of those that are chosen keeps it in its menu.
    const menu = () =>
      [...document.querySelectorAll<HTMLElement>('[role="toolbar"] button')].find(
        each => each.textContent?.trim() === 'More',
      )
    await expect.poll(menu).toBeDefined()
    menu()!.click()
    const entry = () =>
      [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')].find(
        each => each.textContent?.trim() === 'Give to another company',
      )
    await expect.poll(entry).toBeDefined()
    entry()!.click()
    await expect.poll(opened.text).toContain('2 devices were chosen')
    expect(document.querySelector('#transfer-what')).toBeNull()
    button('Make the code').click()
    await expect.poll(() => bodies).toMatchObject([{ target: { ids: [first, second] }, withHistory: true }])
    await expect.poll(opened.text).toContain('The code is shown only now')
  })
})
