import type { Api } from '../core/api.ts'
import { NAMES, numberOf, type Product } from './population.ts'

/** One kind of request; `path(i)` varies it so that no two neighbours are the same. */
export interface Query {
  name: string
  path(i: number): string
}

interface Page {
  nextCursor: string | null
}

/** Pages between two noted positions of a walk. */
const NOTE_EVERY = 20

/** Everything a console asks of a device list. */
export async function queries(api: Api, devices: number, products: readonly Product[]): Promise<Query[]> {
  const { zh, en, tags } = NAMES
  const list = (params: Record<string, string>) => `/devices?${new URLSearchParams(params)}`
  const turn = <T>(of: readonly T[], i: number): T => of[i % of.length]!
  const number = (i: number) => Math.floor((i * 7_919) % devices)
  const deep = await walk(api, {})
  const deepBySight = await walk(api, { sort: '-lastSeenAt' })
  const link = (i: number) => turn(['online', 'offline', 'never'], i)
  return [
    { name: 'first page', path: i => list({ limit: String(20 + (i % 3)) }) },
    { name: 'first page with its total', path: i => list({ limit: String(20 + (i % 3)), total: '1' }) },
    { name: 'deep page', path: i => list({ limit: '20', cursor: turn(deep, i) }) },
    { name: 'by last sight', path: i => list({ sort: '-lastSeenAt', limit: String(20 + (i % 3)) }) },
    {
      name: 'by last sight, deep',
      path: i => list({ sort: '-lastSeenAt', limit: '20', cursor: turn(deepBySight, i) }),
    },
    { name: 'by last sight, never seen first', path: i => list({ sort: 'lastSeenAt', limit: String(20 + (i % 3)) }) },
    { name: 'by name', path: i => list({ sort: 'name', limit: String(20 + (i % 3)) }) },
    { name: 'Chinese, two characters', path: i => list({ q: turn([...zh.kinds, ...zh.places], i) }) },
    { name: 'Chinese, one character', path: i => list({ q: [...turn(zh.kinds, i)][0]! }) },
    { name: 'Chinese and number', path: i => list({ q: `${turn(zh.kinds, i)}${String(number(i)).padStart(6, '0')}` }) },
    { name: 'Chinese with total', path: i => list({ q: turn(zh.places, i), total: '1' }) },
    { name: 'English word', path: i => list({ q: turn([...en.kinds, ...en.places], i).toLowerCase() }) },
    { name: 'English, part of a word', path: i => list({ q: turn(en.places, i).slice(1, 4) }) },
    { name: 'device number', path: i => list({ q: numberOf(number(i)) }) },
    { name: 'nothing to be found', path: i => list({ q: `${turn(zh.places, i)}${turn(en.places, i)}` }) },
    {
      name: 'product, link, tag',
      path: i => list({ productId: turn(products, i).id, link: link(i), tag: turn(tags, i) }),
    },
    {
      name: 'product, link, tag with total',
      path: i => list({ productId: turn(products, i).id, link: link(i), tag: turn(tags, i), total: '1' }),
    },
    {
      name: 'product, link, tag, text, by last sight',
      path: i =>
        list({
          productId: turn(products, i).id,
          link: turn(['online', 'offline'], i),
          tag: turn(tags, i),
          q: turn([...zh.places, ...en.places], i),
          sort: '-lastSeenAt',
        }),
    },
    { name: 'counts by state', path: () => '/devices/counts' },
  ]
}

/** What the console asks for somebody whose data scope is one group of many. */
export function limitedQueries(): Query[] {
  const { zh } = NAMES
  const list = (params: Record<string, string>) => `/devices?${new URLSearchParams(params)}`
  const limit = (i: number) => String(20 + (i % 3))
  const word = (i: number) => zh.kinds[i % zh.kinds.length]!
  const link = (i: number) => ['online', 'offline', 'never'][i % 3]!
  return [
    { name: 'one group: first page', path: i => list({ limit: limit(i) }) },
    { name: 'one group: first page with its total', path: i => list({ limit: limit(i), total: '1' }) },
    { name: 'one group: by last sight', path: i => list({ sort: '-lastSeenAt', limit: limit(i) }) },
    { name: 'one group: link with total', path: i => list({ link: link(i), limit: limit(i), total: '1' }) },
    { name: 'one group: Chinese with total', path: i => list({ q: word(i), limit: limit(i), total: '1' }) },
    { name: 'one group: counts by state', path: () => '/devices/counts' },
  ]
}

/** Positions down to the end of a list. */
async function walk(api: Api, params: Record<string, string>): Promise<string[]> {
  const positions: string[] = []
  let cursor: string | null = null
  for (let page = 1; ; page++) {
    const query: Record<string, string> = { ...params, limit: '100', ...(cursor ? { cursor } : {}) }
    const { nextCursor }: Page = await api.get(`/devices?${new URLSearchParams(query)}`)
    if (!nextCursor) return positions
    cursor = nextCursor
    if (page % NOTE_EVERY === 0) positions.push(cursor)
  }
}
