// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { queryClient } from '../lib/query-client.ts'
import { company, device } from './testing/company.ts'
import { fill, named, press } from './testing/hands.ts'
import { type Answers, openConsole, refusal } from './testing/open-console.tsx'

const UPDATE = 'PATCH /api/v1/devices/d1'
const drawer = () => document.querySelector('.ant-drawer-open')?.textContent ?? ''
const drawn = () => document.querySelector('.ant-drawer-open')
const nameField = () => named(/^Name/, '.ant-drawer-open input')

async function editing(answers: Answers) {
  const console = await openConsole('/manage/device/DeviceSet/DeviceSetLink?id=d1', { ...company, ...answers })
  await expect.poll(() => named('Edit')).not.toBeNull()
  press(named('Edit'))
  await expect.poll(nameField).not.toBeNull()
  return console
}

describe('a form in a drawer', () => {
  it('complains at the field, sends nothing that is wrong, and then what is right with the version that was seen', async () => {
    const sent: unknown[] = []
    let stored = device()
    const console = await editing({
      'GET /api/v1/devices/d1': () => stored,
      [UPDATE]: (_, body) => {
        sent.push(body)
        stored = device({ name: 'Kettle', version: 2 })
        return stored
      },
    })
    fill(nameField(), '')
    press(named('Save'))
    await expect.poll(drawer).toContain('Required')
    expect(sent).toEqual([])
    fill(nameField(), 'Kettle')
    await expect.poll(drawer).not.toContain('Required')
    press(named('Save'))
    await expect.poll(() => sent).toEqual([{ name: 'Kettle', tags: [], attributes: [], version: 1 }])
    await expect.poll(nameField).toBeNull()
    expect(console.text()).toContain('Kettle')
  })

  it('brings the server’s complaints to their fields, and the rest above with code and request', async () => {
    let answer = refusal(422, 'request.validation', {
      fields: { '/name': { code: 'x', message: 'is taken' }, '/other': { code: 'x', message: 'is wrong' } },
    })
    await editing({ [UPDATE]: () => answer })
    fill(nameField(), 'Kettle')
    press(named('Save'))
    await expect.poll(drawer).toContain('is taken')
    expect(drawer()).toContain('other: is wrong')
    answer = refusal(409, 'version.conflict', { params: { current: device({ name: 'Tank', version: 5 }) } })
    press(named('Save'))
    await expect.poll(drawer).toContain('Another person changed this')
    expect(drawer()).toContain('Tank')
    expect((nameField() as HTMLInputElement).value).toBe('Kettle')
    press(named('Take theirs'))
    await expect.poll(() => (nameField() as HTMLInputElement).value).toBe('Tank')
  })

  it('saves what was typed over what somebody else saved, and keeps of his what was not touched', async () => {
    const sent: unknown[] = []
    await editing({
      [UPDATE]: (_, body) => {
        sent.push(body)
        return sent.length === 1
          ? refusal(409, 'version.conflict', {
              params: { current: device({ name: 'Tank', tags: ['cold'], version: 5 }) },
            })
          : device({ name: 'Kettle', tags: ['cold'], version: 6 })
      },
    })
    fill(nameField(), 'Kettle')
    press(named('Save'))
    await expect.poll(drawer).toContain('Another person changed this')
    press(named('Save mine'))
    await expect.poll(() => sent.length).toBe(2)
    expect(sent[1]).toMatchObject({ name: 'Kettle', tags: ['cold'], version: 5 })
    await expect.poll(nameField).toBeNull()
  })

  it('asks before what was typed is lost, and not where nothing was', async () => {
    await editing({})
    press(named('Cancel', '.ant-drawer-open button'))
    await expect.poll(nameField).toBeNull()
    press(named('Edit'))
    await expect.poll(nameField).not.toBeNull()
    fill(nameField(), 'Kettle')
    press(named('Cancel', '.ant-drawer-open button'))
    await expect.poll(() => named('Keep editing')).not.toBeNull()
    press(named('Keep editing'))
    await expect.poll(() => (nameField() as HTMLInputElement).value).toBe('Kettle')
    press(named('Cancel', '.ant-drawer-open button'))
    await expect.poll(() => named('Discard changes')).not.toBeNull()
    press(named('Discard changes'))
    await expect.poll(nameField).toBeNull()
  })

  it('keeps what was typed when what it shows is read again meanwhile', async () => {
    let answer = () => device() as object | Promise<object>
    await editing({ 'GET /api/v1/devices/d1': () => answer() })
    fill(nameField(), 'Kettle')
    let asked = 0
    answer = () => {
      asked += 1
      return new Promise(() => undefined)
    }
    void queryClient.invalidateQueries({ queryKey: ['devices', 'get'] })
    await expect.poll(() => asked).toBe(1)
    expect((nameField() as HTMLInputElement | null)?.value).toBe('Kettle')
  })

  it('closes with Esc, but not over what was typed', async () => {
    await editing({})
    const pressEscape = () => drawn()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    pressEscape()
    await expect.poll(nameField).toBeNull()
    press(named('Edit'))
    await expect.poll(nameField).not.toBeNull()
    fill(nameField(), 'Kettle')
    await expect.poll(() => (nameField() as HTMLInputElement).value).toBe('Kettle')
    pressEscape()
    await expect.poll(() => named('Keep editing')).not.toBeNull()
    expect(nameField()).not.toBeNull()
  })

  it('is opened by its address, by whoever may make something', async () => {
    const list = '/manage/device?create=1'
    const maker = { ...company, 'GET /api/v1/products/catalogue': () => ({ items: [] }) }
    const console = await openConsole(list, maker)
    await expect.poll(nameField).not.toBeNull()
    press(named('Cancel', '.ant-drawer-open button'))
    await expect.poll(nameField).toBeNull()
    await openConsole(list, maker, ['device:read'])
    await expect.poll(console.text).toContain('Boiler')
    expect(nameField()).toBeNull()
  })
})
