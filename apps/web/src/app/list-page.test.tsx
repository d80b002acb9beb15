// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { useSession } from '../lib/session.ts'
import { company, device, page } from './testing/company.ts'
import { fill, named, press } from './testing/hands.ts'
import { openConsole, refusal } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/devices'
const queries = (requests: readonly string[]) =>
  requests
    .filter(request => request.startsWith(`${LIST}?`))
    .map(request => new URL(request.slice(4), 'http://x').searchParams)

describe('a list page', () => {
  it('asks the server for what is typed and says what narrows it, until that is taken away', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    fill(named(/^Search/, 'input'), ' pump ')
    await expect.poll(() => queries(list.requests).at(-1)?.get('q')).toBe('pump')
    await expect.poll(list.text).toContain('Search: pump')
    press(named('Remove Search: pump'))
    await expect.poll(list.text).not.toContain('Search: pump')
    expect(list.text()).toContain('Boiler')
  })

  it('goes through the pages by the server’s cursors, and back without asking for others', async () => {
    const list = await openConsole('/manage/device', {
      ...company,
      [LIST]: url =>
        url.searchParams.get('cursor') === 'second'
          ? page([device({ id: 'd9', name: 'Last one' })])
          : page([device()], 'second'),
    })
    await expect.poll(list.text).toContain('Boiler')
    press(named('Next'))
    await expect.poll(list.text).toContain('Last one')
    expect(list.text()).toContain('Page 2')
    expect(named('Next')?.hasAttribute('disabled')).toBe(true)
    press(named('Previous'))
    await expect.poll(list.text).toContain('Page 1')
    await expect.poll(list.text).toContain('Boiler')
    expect(new Set(queries(list.requests).map(query => query.get('cursor')))).toEqual(new Set([null, 'second']))
  })

  it('offers no saved views to an end user, who has none', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    expect(named('Saved views')).toBeTruthy()
    useSession.setState(({ me }) => ({ me: { ...me!, kind: 'end_user' } }))
    await expect.poll(() => named('Saved views')).toBeFalsy()
    expect(named('Refresh')).toBeTruthy()
  })

  it('is at the page that it was left at when somebody comes back', async () => {
    const list = await openConsole('/manage/device', {
      ...company,
      [LIST]: url =>
        url.searchParams.get('cursor') === 'second'
          ? page([device({ id: 'd1', name: 'Last one' })])
          : page([device()], 'second'),
    })
    await expect.poll(list.text).toContain('Boiler')
    press(named('Next'))
    await expect.poll(list.text).toContain('Last one')
    press(document.querySelector<HTMLElement>('td a[href*="DeviceCenter?id=d1"]'))
    await expect.poll(list.text).not.toContain('Page 2')
    list.back()
    await expect.poll(list.text).toContain('Page 2')
    await expect.poll(list.text).toContain('Last one')
  })

  it('has three actions for chosen rows in the open, the everyday ones, and the rest behind one word', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    press(named('Select row', 'input'))
    const words = () => [...document.querySelectorAll('[role="toolbar"] button')].map(button => button.textContent)
    await expect.poll(words).toEqual(['Send command', 'Move to group', 'Update firmware', 'More', 'Cancel'])
    press(named('More', '[role="toolbar"] button'))
    await expect.poll(() => named('Delete', '[role=menuitem]')).not.toBeNull()
    press(named('Cancel', '[role="toolbar"] button'))
    await expect.poll(() => document.querySelector('[role="toolbar"]')).toBeNull()
  })

  it('orders by a column at the server', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    press(named(/^Name/, 'th button'))
    await expect.poll(() => queries(list.requests).at(-1)?.get('sort')).toMatch(/^-?name$/)
  })

  it('tells apart that there is nothing, that nothing matches, that it failed and that it is not allowed', async () => {
    const none = await openConsole('/manage/device', { ...company, [LIST]: () => page([]) })
    await expect.poll(none.text).toContain('No devices yet')
    const unmatched = await openConsole('/manage/device?q=zzz', { ...company, [LIST]: () => page([]) })
    await expect.poll(unmatched.text).toContain('Search: zzz')
    let works = false
    const failed = await openConsole('/manage/device', {
      ...company,
      [LIST]: () => (works ? page([device()]) : refusal(503, 'server.busy')),
    })
    await expect.poll(failed.text).toContain('refused: server.busy')
    works = true
    press(named('Try again', 'button'))
    await expect.poll(failed.text).toContain('Boiler')
    const forbidden = await openConsole('/manage/device', company, ['product:read'])
    await expect.poll(forbidden.text).toContain('device:read')
    expect(queries(forbidden.requests)).toEqual([])
  })

  it('offers for chosen rows what the person may do, and nothing else', async () => {
    const chosen = async (...rights: string[]) => {
      const list = await openConsole('/manage/device', company, ['device:read', ...rights])
      await expect.poll(list.text).toContain('Boiler')
      press(named('Select row', 'input'))
      await expect.poll(() => document.querySelector('[role="toolbar"]')?.textContent).toContain('1 selected')
      return [...document.querySelectorAll('[role="toolbar"] button')].map(button => button.textContent)
    }
    const writer = await chosen('device:write')
    expect(writer).toEqual(expect.arrayContaining(['Enable', 'Disable']))
    for (const other of ['Delete', 'Send command', 'Update firmware']) expect(writer).not.toContain(other)
    expect(await chosen('device:delete')).toEqual(expect.arrayContaining(['Delete']))
    expect(await chosen('device:delete')).not.toContain('Disable')
  })

  it('narrows by what is chosen, says it, and takes it away again', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    press(named('Filters'))
    await expect.poll(() => named('Tag', '[data-popup] input')).not.toBeNull()
    fill(named('Tag', '[data-popup] input'), 'red')
    await expect.poll(() => queries(list.requests).at(-1)?.get('tag')).toBe('red')
    await expect.poll(list.text).toContain('Tag: red')
    press(named('Remove Tag: red'))
    await expect.poll(list.text).not.toContain('Tag: red')
  })

  it('opens as its address says: search, filter, order and page size', async () => {
    const list = await openConsole('/manage/device?q=pump&link=online&sort=-name&limit=50', company)
    await expect.poll(list.text).toContain('Boiler')
    const asked = Object.fromEntries(queries(list.requests)[0] ?? [])
    expect(asked).toMatchObject({ q: 'pump', link: 'online', sort: '-name' })
    expect(list.text()).toContain('Search: pump')
    expect(list.text()).toContain('Link: Online')
  })

  it('keeps what was chosen over the pages, up to everything that the list finds', async () => {
    const list = await openConsole('/manage/device', {
      ...company,
      [LIST]: url =>
        url.searchParams.get('cursor') === 'second'
          ? { ...page([device({ id: 'd9', name: 'Last one' })]), total: 41 }
          : { ...page([device()], 'second'), total: 41 },
    })
    await expect.poll(list.text).toContain('Boiler')
    press(named('Select row', 'input'))
    const bar = () => document.querySelector('[role="toolbar"]')?.textContent ?? ''
    await expect.poll(bar).toContain('1 selected')
    press(named('Next'))
    await expect.poll(list.text).toContain('Last one')
    expect(bar()).toContain('1 selected')
    press(named('Select page', 'input'))
    await expect.poll(bar).toContain('2 selected')
    press(named('Select all 41'))
    await expect.poll(bar).toContain('41 selected')
    press(named('Cancel', '[role="toolbar"] button'))
    await expect.poll(() => document.querySelector('[role="toolbar"]')).toBeNull()
  })

  it('shows the columns that were chosen, and those that were designed again', async () => {
    const list = await openConsole('/manage/device', company)
    await expect.poll(list.text).toContain('Boiler')
    const heads = () => [...document.querySelectorAll('th')].map(head => head.textContent?.trim())
    expect(heads()).toContain('Product')
    press(named('Columns'))
    const box = () => [...document.querySelectorAll<HTMLElement>('[data-popup] label')]
    await expect.poll(() => box().some(label => label.textContent === 'Product')).toBe(true)
    press(box().find(label => label.textContent === 'Product') ?? null)
    await expect.poll(heads).not.toContain('Product')
    press(named('Reset', '[data-popup] button'))
    await expect.poll(heads).toContain('Product')
  })
})
