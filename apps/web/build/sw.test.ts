import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'

const source = readFileSync(new URL('./sw.js', import.meta.url), 'utf8').replace('__BUILD__', 'abc')
const ORIGIN = 'http://console.test'

type Answer = {
  ok: boolean
  type: string
  body: string
  redirected: boolean
  headers: Headers
  clone: () => Answer
}
const answer = (body: string, page = '', redirected = false): Answer => ({
  ok: true,
  type: 'basic',
  body,
  redirected,
  headers: new Headers(page === '' ? {} : { 'x-thingwright-page': page }),
  clone: () => answer(body, page, redirected),
})
/** Addresses that are not the console's: a picture, and one that leads elsewhere. */
const PICTURE = '/files/pump.png'
const MOVED = '/moved'

let kept: Map<string, Answer>
let caches: Set<string>
let online: boolean
let handlers: Record<string, (event: object) => void>
/** What was shown, and what a click opened. */
let notes: object[]
let opened: string[]
let windows: { focus(): Promise<void>; navigate(address: string): Promise<void> }[]

beforeEach(() => {
  kept = new Map()
  caches = new Set(['thingwright-old', 'thingwright-abc', 'other'])
  online = true
  handlers = {}
  notes = []
  opened = []
  windows = []
  const name = (key: unknown) => (typeof key === 'string' ? key : new URL((key as { url: string }).url).pathname)
  runInContext(
    source,
    createContext({
      URL,
      self: {
        location: { origin: ORIGIN },
        skipWaiting: () => {},
        clients: {
          claim: async () => {},
          matchAll: async () => windows,
          openWindow: async (address: string) => void opened.push(`window ${address}`),
        },
        registration: {
          showNotification: async (title: string, shown: object) => void notes.push({ title, ...shown }),
        },
        addEventListener: (type: string, handler: (event: object) => void) => {
          handlers[type] = handler
        },
      },
      caches: {
        keys: async () => [...caches],
        delete: async (cache: string) => caches.delete(cache),
        open: async () => ({ put: async (key: unknown, value: Answer) => void kept.set(name(key), value) }),
        match: async (key: unknown) => kept.get(name(key)),
      },
      fetch: async (request: { url: string }) => {
        if (!online) throw new TypeError('offline')
        const { pathname } = new URL(request.url)
        return answer(`net ${pathname}`, pathname === PICTURE ? '' : 'console', pathname === MOVED)
      },
    }),
  )
})

/** What the worker answers a request with; undefined when it leaves it to the browser. */
async function ask(
  path: string,
  given: { mode?: string; method?: string; origin?: string } = {},
): Promise<string | undefined> {
  let promise: Promise<Answer> | undefined
  handlers.fetch!({
    request: { url: (given.origin ?? ORIGIN) + path, method: given.method ?? 'GET', mode: given.mode ?? 'cors' },
    respondWith: (work: Promise<Answer>) => {
      promise = work
    },
  })
  return (await promise)?.body
}

describe('service worker', () => {
  it.each([
    '/api/v1/devices',
    '/api',
    '/oauth/token',
    '/page/demo',
    '/device/v1/x',
    '/mqtt',
    '/metrics',
    '/callbacks/x',
  ])('leaves %s alone, as a page and as a request', async path => {
    expect(await ask(path)).toBeUndefined()
    expect(await ask(path, { mode: 'navigate' })).toBeUndefined()
  })

  it('leaves writes and other sites alone', async () => {
    expect(await ask('/assets/a.js', { method: 'POST' })).toBeUndefined()
    expect(await ask('/assets/a.js', { origin: 'http://tiles.test' })).toBeUndefined()
    expect(await ask('/favicon.svg')).toBeUndefined()
  })

  it('answers hashed files from the cache once they are there', async () => {
    expect(await ask('/assets/a-1.js')).toBe('net /assets/a-1.js')
    online = false
    expect(await ask('/assets/a-1.js')).toBe('net /assets/a-1.js')
    await expect(ask('/assets/b-2.js')).rejects.toThrow('offline')
  })

  it('opens the console from the last page it had when there is no network', async () => {
    expect(await ask('/manage/device', { mode: 'navigate' })).toBe('net /manage/device')
    online = false
    expect(await ask('/manage/product', { mode: 'navigate' })).toBe('net /manage/device')
    expect(await ask('/pages', { mode: 'navigate' })).toBe('net /manage/device')
  })

  it('keeps no picture that was opened as a page, nor what an address redirects to', async () => {
    expect(await ask('/manage/device', { mode: 'navigate' })).toBe('net /manage/device')
    expect(await ask(PICTURE, { mode: 'navigate' })).toBe(`net ${PICTURE}`)
    expect(await ask(MOVED, { mode: 'navigate' })).toBe(`net ${MOVED}`)
    online = false
    expect(await ask('/index', { mode: 'navigate' })).toBe('net /manage/device')
  })

  it('removes the caches of older builds and no others', async () => {
    let work: Promise<void> | undefined
    handlers.activate!({
      waitUntil: (promise: Promise<void>) => {
        work = promise
      },
    })
    await work
    expect([...caches]).toEqual(['thingwright-abc', 'other'])
  })

  async function happen(type: string, event: object): Promise<void> {
    let work: Promise<unknown> | undefined
    const waitUntil = (promise: Promise<unknown>) => {
      work = promise
    }
    handlers[type]!({ ...event, waitUntil })
    await work
  }

  it('shows an alarm that is pushed, in place of what it showed of the same alarm', async () => {
    const message = { title: '温度过高', text: '冷库：9.5', tag: 'a1', link: '/manage/user/center/alarm?alarm=a1' }
    await happen('push', { data: { json: () => message } })
    expect(notes).toEqual([
      {
        title: '温度过高',
        body: '冷库：9.5',
        tag: 'a1',
        renotify: true,
        icon: '/favicon.svg',
        data: { link: '/manage/user/center/alarm?alarm=a1' },
      },
    ])
  })

  it('opens the page of the alarm at a click, in a window that is open or a new one, and no other site', async () => {
    const click = (link: string) => happen('notificationclick', { notification: { close: () => {}, data: { link } } })
    await click('/w/north')
    windows = [{ focus: async () => {}, navigate: async address => void opened.push(`same ${address}`) }]
    await click('/w/north')
    await click('https://elsewhere.test/')
    await click('//elsewhere.test/')
    expect(opened).toEqual([`window ${ORIGIN}/w/north`, `same ${ORIGIN}/w/north`])
  })
})
