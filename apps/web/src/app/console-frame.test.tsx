// @vitest-environment happy-dom
import type { MenuItem } from '@thingwright/contracts/identity.contract'
import { createRoot, type Root } from 'react-dom/client'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { loadTexts, startI18n } from '../lib/i18n.ts'
import { tabTitle } from '../lib/page-title.ts'
import { useSession } from '../lib/session.ts'
import { registerAllTexts } from '../texts.ts'
import { BelowHeader, PageHeader } from '../ui/page-header.tsx'
import { SideMenu } from './layout/side-menu.tsx'
import { useTabTitle } from './layout/use-tab-title.ts'
import { COMMAND_TEXTS, commandsFor } from './palette/commands.ts'
import { findNamed } from './palette/page-search.ts'

const item = (name: string, path: string, sort: number, children: MenuItem[] = []): MenuItem => ({
  id: name,
  name,
  ename: name,
  icon: `<svg viewBox="0 0 16 16"><path d="M1 1h${name.length}"/></svg>`,
  path,
  sort,
  idPath: '',
  jump: 0,
  order: 0,
  children,
})
const MENUS = [
  item('Management', '', 1, [item('Devices', '/manage/device', 2), item('Products', '/manage/product', 2)]),
  item('Elsewhere', '/stat/EnterpriseOverview', 1),
]

let root: Root | null = null
function Page({ title, below }: { title: string | null; below: string | null }) {
  useTabTitle()
  return (
    <>
      <SideMenu />
      {title !== null && <PageHeader title={title} />}
      {below !== null && (
        <BelowHeader>
          <PageHeader title={below} />
        </BelowHeader>
      )}
    </>
  )
}
function draw(person: string, at = '/manage/device', title: string | null = null, below: string | null = null): void {
  root?.unmount()
  document.body.innerHTML = ''
  useSession.setState({
    token: { access_token: 'a', thingwrightAppId: 'app', id: person, username: person },
    menus: MENUS,
  })
  const router = createMemoryRouter([{ path: '*', element: <Page title={title} below={below} /> }], {
    initialEntries: [at],
  })
  root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(<RouterProvider router={router} />)
}
const seen = <T extends HTMLElement>(selector: string) => document.querySelector<T>(selector)
const side = () => seen('[data-testid=side-menu]')
const fold = () => seen<HTMLButtonElement>('[data-testid=fold-menu]')!.click()

beforeAll(async () => {
  registerAllTexts()
  await startI18n('en')
  await loadTexts('common', 'shell', 'ui', ...COMMAND_TEXTS)
})

describe('the frame of the console', () => {
  afterEach(() => {
    root?.unmount()
    root = null
    window.localStorage.clear()
  })

  it('folds its menu to a rail, remembers that for the person, and for nobody else', async () => {
    draw('ann')
    await expect.poll(() => side()?.dataset.rail).toBe('false')
    expect(side()!.textContent).toContain('Devices')
    fold()
    await expect.poll(() => side()?.dataset.rail).toBe('true')
    expect(side()!.textContent).not.toContain('Devices')
    draw('bob')
    await expect.poll(() => side()?.dataset.rail).toBe('false')
    draw('ann')
    await expect.poll(() => side()?.dataset.rail).toBe('true')
    fold()
    await expect.poll(() => side()?.dataset.rail).toBe('false')
  })

  it('scrolls its menu to the entry of the page 50 ms after it was opened', async () => {
    const later: (() => void)[] = []
    const setTimer = globalThis.setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, after?: number, ...rest: []) =>
      after === 50 ? later.push(work) : setTimer(work, after, ...rest)) as typeof setTimeout)
    const box = (top: number, bottom: number) => ({ top, bottom }) as DOMRect
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
      if (this.tagName === 'NAV') return box(60, 860)
      return this.matches('[aria-current=page]') ? box(1000, 1040) : box(0, 0)
    })
    try {
      draw('ann', '/manage/product')
      await expect.poll(() => seen('[aria-current=page]')?.textContent).toBe('Products')
      await expect.poll(() => later.length).toBeGreaterThan(0)
      const nav = seen('[data-testid=side-menu] nav')!
      expect(nav.scrollTop).toBe(0)
      for (const work of later) work()
      expect(nav.scrollTop).toBe(1040 - 860)
    } finally {
      vi.restoreAllMocks()
    }
  })

  it('lets the entries of a group fly out of the rail, named, and takes them back', async () => {
    draw('ann')
    await expect.poll(side).not.toBeNull()
    fold()
    const group = () => seen<HTMLButtonElement>('button[aria-label=Management]')
    await expect.poll(group).not.toBeNull()
    expect(seen('a[aria-label=Elsewhere]')?.title).toBe('Elsewhere')
    group()!.click()
    const out = () => seen('[role=group][aria-label=Management]')
    await expect.poll(() => out()?.textContent).toBe('ManagementDevicesProducts')
    expect(out()!.querySelector('[aria-current=page]')?.textContent).toBe('Devices')
    group()!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    await expect.poll(out).toBeNull()
  })

  it('calls the tab of the browser as the page, else as the menu does', async () => {
    draw('ann', '/manage/product')
    await expect.poll(() => document.title).toBe('Products · Thingwright')
    draw('ann', '/manage/device', 'Pump 7')
    await expect.poll(() => document.title).toBe('Pump 7 · Thingwright')
    draw('ann', '/nowhere')
    await expect.poll(() => document.title).toBe('Thingwright · Enterprise IoT Cloud')
    expect(tabTitle('北海物联', '北海物联')).toBe('北海物联')
  })
})

describe('the search everywhere', () => {
  const found = (query: string) =>
    findNamed(
      commandsFor(page => page),
      query,
    ).map(({ title }) => title)

  it('names a page once: a list below its title has a heading of the second level and leaves the tab alone', async () => {
    draw('ann', '/manage/device', 'Pump 7', 'Devices of Pump 7')
    await expect.poll(() => document.title).toContain('Pump 7')
    const words = (heading: string) => [...document.querySelectorAll(heading)].map(each => each.textContent)
    await expect.poll(() => words('h2')).toEqual(['Devices of Pump 7'])
    expect(words('h1')).toEqual(['Pump 7'])
    expect(document.title).not.toContain('Devices of')
  })

  it('finds settings, things to do and help by their names and by other words for them', () => {
    useSession.setState({
      me: {
        permissions: ['*'],
        menuPermissions: ['/admin/account', '/admin/security', '/manage/device'],
      } as never,
    })
    expect(found('retention')).toEqual(['Data retention'])
    expect(found('passk')).toEqual(['Passkeys'])
    expect(found('register')).toEqual(['Add a device'])
    expect(found('hotkeys')).toEqual(['Keyboard shortcuts'])
  })

  it('offers nothing that the person may not open or do', () => {
    useSession.setState({
      me: { permissions: ['device:read'], menuPermissions: ['/admin/security', '/manage/device'] } as never,
    })
    expect(found('add a device')).toEqual([])
    expect(found('retention')).toEqual([])
    expect(found('company rules')).toEqual([])
    expect(found('passkeys')).toEqual(['Passkeys'])
  })
})
