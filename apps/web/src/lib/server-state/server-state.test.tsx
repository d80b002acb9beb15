// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useNotices } from '../notify.ts'
import { useSession } from '../session.ts'
import { startTexts } from '../testing.ts'
import { type Cache, useCache } from './cache.ts'
import { keyOf, keyTouched, only } from './keys.ts'
import { type Act, useAct } from './use-act.ts'
import { usePages } from './use-pages.ts'
import { useMade, useRead, useReads } from './use-read.ts'

type Answer = (url: URL) => unknown
let answers: Record<string, Answer>
let asked: string[]
let root: Root | undefined

beforeEach(async () => {
  await startTexts()
  asked = []
  answers = {}
  useSession.setState({ token: { access_token: 'a', thingwrightAppId: 'app', id: 'me', username: 'me' } as never })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const url = new URL(address, 'http://console.test')
    const what = `${init.method ?? 'GET'} ${url.pathname}`
    asked.push(`${what}${url.search}`)
    const reply = await answers[what]?.(url)
    return reply instanceof Response ? reply : Response.json(reply ?? null)
  })
})
afterEach(() => {
  root?.unmount()
  root = undefined
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
})

/** Draws a component with a cache of its own and hands out what it shows. */
function draw(Shown: () => React.ReactNode): () => string {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 60_000 } } })
  const place = document.body.appendChild(document.createElement('div'))
  root = createRoot(place)
  root.render(
    <QueryClientProvider client={client}>
      <Shown />
    </QueryClientProvider>,
  )
  return () => place.textContent ?? ''
}

const times = (what: string) => asked.filter(each => each.startsWith(what)).length
const GET = 'GET /api/v1/devices/d1'
const named = (name: string) => ({ id: 'd1', name })

it('makes one key of one question, whoever asks it', () => {
  expect(keyOf('devices.get', { params: { id: 'd1' } })).toEqual(['devices', 'get', { params: { id: 'd1' } }])
  expect(keyOf('devices.list', { query: {} })).toEqual(keyOf('devices.list'))
  expect(keyOf('devices.list', {}, 'pages')).not.toEqual(keyOf('devices.list'))
  expect(keyTouched('devices')).toEqual(['devices'])
  expect(keyTouched(only('groups.list', { query: { kind: 'device' } }))).toEqual([
    'groups',
    'list',
    { query: { kind: 'device' } },
  ])
})

it('reads once for two who ask the same', async () => {
  answers[GET] = () => named('Boiler')
  const One = () => <b>{useRead('devices.get', { params: { id: 'd1' } }).data?.name}</b>
  const Two = () => (
    <i>{useRead('devices.get', { params: { id: 'd1' } }, { select: reply => reply.name.toUpperCase() }).data}</i>
  )
  const text = draw(() => (
    <>
      <One />
      <Two />
    </>
  ))
  await expect.poll(text).toBe('BoilerBOILER')
  expect(times(GET)).toBe(1)
})

it('touches a resource, an operation, or some of its answers, and nothing else', async () => {
  const LIST = 'GET /api/v1/groups'
  answers[GET] = () => named('Boiler')
  answers[LIST] = url => ({ items: [{ id: url.searchParams.get('kind') }] })
  let cache!: Cache
  const text = draw(() => {
    cache = useCache()
    const device = useRead('devices.get', { params: { id: 'd1' } })
    const own = useRead('groups.list', { query: { kind: 'device' } })
    const other = useRead('groups.list', { query: { kind: 'product' } })
    const made = useMade('groups.list', { query: { kind: 'user' } }, async () => asked.length)
    return <b>{[device.data?.name, own.data?.items[0]?.id, other.data?.items[0]?.id, typeof made.data].join(' ')}</b>
  })
  await expect.poll(text).toBe('Boiler device product number')
  const reread = async (work: Promise<void>) => {
    asked.length = 0
    await work
    return [times(GET), times(`${LIST}?kind=device`), times(`${LIST}?kind=product`)]
  }
  expect(await reread(cache.touch('devices'))).toEqual([1, 0, 0])
  expect(await reread(cache.touch('groups.list'))).toEqual([0, 1, 1])
  expect(await reread(cache.touch(only('groups.list', { query: { kind: 'product' } })))).toEqual([0, 0, 1])
  expect(await reread(cache.touch('products'))).toEqual([0, 0, 0])
  // What is named twice, or lies below what is named, is read once.
  expect(await reread(cache.touch('devices.get', 'devices', 'groups', only('groups.list', {}), 'devices'))).toEqual([
    1, 1, 1,
  ])
})

it('changes answers where they are, each in its own form', async () => {
  answers[GET] = () => named('Boiler')
  answers['GET /api/v1/devices'] = url =>
    url.searchParams.has('cursor')
      ? { items: [named('Last')], nextCursor: null }
      : { items: [named('First')], nextCursor: 'second' }
  let cache!: Cache
  let more!: () => void
  const text = draw(() => {
    cache = useCache()
    const device = useRead('devices.get', { params: { id: 'd1' } })
    const list = usePages('devices.list', { query: { limit: 1 } })
    more = () => void list.fetchNextPage()
    const names = (list.data?.pages ?? []).flatMap(page => page.items.map(item => item.name))
    return <b>{[device.data?.name, ...names].join(' ')}</b>
  })
  await expect.poll(text).toBe('Boiler First')
  more()
  await expect.poll(text).toBe('Boiler First Last')
  cache.patch('devices.get', known => ({ ...known, name: 'Pump' }))
  await expect.poll(text).toBe('Pump First Last')
  // Answers that were read by pages have another form than those that were not.
  cache.patch('devices.list', () => ({ items: [], nextCursor: null }))
  cache.patchPages('devices.list', (pages, asked) => pages.slice(0, asked.query?.limit))
  await expect.poll(text).toBe('Pump First')
  expect(times(GET)).toBe(1)
})

it('reads several inputs at once, each kept for whoever asks it alone', async () => {
  answers[GET] = () => named('Boiler')
  answers['GET /api/v1/devices/d2'] = () => ({ id: 'd2', name: 'Pump' })
  const text = draw(() => {
    const names = useReads(
      'devices.get',
      ['d1', 'd2'].map(id => ({ params: { id } })),
      {},
      found => found.map(({ data }) => data?.name ?? '?').join(' '),
    )
    return (
      <b>
        {names}/{useRead('devices.get', { params: { id: 'd2' } }).data?.name}
      </b>
    )
  })
  await expect.poll(text).toBe('Boiler Pump/Pump')
  expect(times('GET /api/v1/devices/d2')).toBe(1)
})

/** A page with one device and a button's worth of action. */
function page(options: Parameters<typeof useAct<'devices.update'>>[1]) {
  const seen: { act: Act<'devices.update'> } = { act: undefined as never }
  const text = draw(() => {
    seen.act = useAct('devices.update', options)
    const device = useRead('devices.get', { params: { id: 'd1' } })
    const groups = useRead('groups.list', { query: { kind: 'device' } })
    return <b>{`${device.data?.name} ${groups.data?.items.length} ${seen.act.pending ? 'busy' : 'idle'}`}</b>
  })
  return { seen, text }
}
const INPUT = { params: { id: 'd1' }, body: { version: 1, name: 'Pump' } }

it('lets be read again what an action made out of date: its own resource and what it names', async () => {
  let name = 'Boiler'
  let groups: object[] = []
  answers[GET] = () => named(name)
  answers['GET /api/v1/groups'] = () => ({ items: groups })
  let answer!: () => void
  answers['PATCH /api/v1/devices/d1'] = () =>
    new Promise(resolve => {
      answer = () => {
        name = 'Pump'
        groups = [{}]
        resolve(named(name))
      }
    })
  const done = vi.fn()
  const { seen, text } = page({ touches: ['groups'], done })
  await expect.poll(text).toBe('Boiler 0 idle')
  const result = seen.act.run(INPUT)
  await expect.poll(text).toBe('Boiler 0 busy')
  answer()
  expect(await result).toEqual(named('Pump'))
  expect(done).toHaveBeenCalledWith(named('Pump'), INPUT)
  await expect.poll(text).toBe('Pump 1 idle')
})

it('says why an action was refused, once, and keeps what it said of the fields', async () => {
  answers[GET] = () => named('Boiler')
  answers['GET /api/v1/groups'] = () => ({ items: [] })
  const fields = { name: { code: 'taken', message: 'is taken' } }
  answers['PATCH /api/v1/devices/d1'] = () =>
    Response.json({ code: 'request.invalid', message: 'no', requestId: 'r', fields }, { status: 422 })
  const told = () => useNotices.getState().notices.map(notice => notice.text)
  const done = vi.fn()
  const { seen, text } = page({ done })
  await expect.poll(text).toBe('Boiler 0 idle')
  expect(await seen.act.run(INPUT)).toBeUndefined()
  expect(told()).toEqual(['no'])
  useNotices.setState({ notices: [] })
  await expect.poll(() => seen.act.fields).toEqual(fields)
  await expect(seen.act.send(INPUT)).rejects.toMatchObject({ code: 'request.invalid' })
  expect(told()).toEqual([])
  expect(done).not.toHaveBeenCalled()
  // Nothing was done: nothing is read again.
  expect(times(GET)).toBe(1)
})

it('leaves a refusal to the dialog that shows it, and says nothing of what the person called off', async () => {
  answers[GET] = () => named('Boiler')
  answers['GET /api/v1/groups'] = () => ({ items: [] })
  let refused = 0
  answers['PATCH /api/v1/devices/d1'] = () => {
    refused += 1
    if (refused > 1) throw new DOMException('called off', 'AbortError')
    return Response.json({ code: 'device.busy', message: 'no', requestId: 'r' }, { status: 409 })
  }
  useNotices.setState({ notices: [] })
  const { seen, text } = page({ notice: false, always: true })
  await expect.poll(text).toBe('Boiler 0 idle')
  expect(await seen.act.run(INPUT)).toBeUndefined()
  await expect.poll(() => seen.act.error).toMatchObject({ code: 'device.busy' })
  // What is shown was perhaps no longer true: it is read again all the same.
  await expect.poll(() => times(GET)).toBe(2)
  expect(await seen.act.run(INPUT)).toBeUndefined()
  await expect.poll(() => seen.act.error).toBeNull()
  expect(useNotices.getState().notices).toEqual([])
})
