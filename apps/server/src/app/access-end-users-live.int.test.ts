import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { END_USER_TOPICS } from '@thingwright/contracts/end-user-routes'
import { LIVE_TOPICS } from '@thingwright/contracts/live-topics'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { JournalRow } from '../ingest/lanes.port.ts'
import { JournalKind } from '../ingest/uplink.ts'
import { silentLogger } from '../lib/log.ts'
import { createLiveHub, createLiveSocket, type LiveHub, type LiveSocketServer } from '../modules/live/index.ts'
import { createLiveFeed, type LiveFeed } from './live-feed.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, hubTopic } from './live-source.ts'
import { CUSTOMERS, type CustomerHouse, customerHouse, PEOPLE, type Person, SEES } from './testing/customer-house.ts'

/**
 * The topics of the live socket, held against a company, its customer, that one's customer and a customer beside them.
 * Of every topic that end users can follow something is told of everybody; a topic that is opened without saying here how
 * something is told under it fails.
 */
interface Message {
  op?: string
  topic?: string
  code?: string
  id?: string
  patch?: Record<string, unknown>
  snapshot?: unknown
}
interface Stand {
  /** Something happens that concerns this person. */
  happen(whose: Person): void
  /** How a follower knows whose it was; null: a bare word for the whole company, the same for everybody. */
  whoseIs: ((message: Message) => Person | undefined) | null
}

let house: CustomerHouse
let hub: LiveHub
let sockets: LiveSocketServer
let feed: LiveFeed
let server: Server
let url: string
let seq = 1
const open: WebSocket[] = []

beforeAll(async () => {
  house = await customerHouse()
  const { container, db } = house
  hub = createLiveHub()
  sockets = createLiveSocket({
    hub,
    logger: silentLogger,
    authenticate: token => container.identity.authenticate(token),
    source: createLiveSource(db.database, createLiveSnapshots(container)),
    now: () => Date.now(),
  } as Parameters<typeof createLiveSocket>[0])
  feed = createLiveFeed({ hub, sockets, container, database: db.database, logger: silentLogger })
  for (const hearing of feed.hears) container.news.hear(hearing)
  server = createServer()
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 120_000)
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate()
})
afterAll(async () => {
  sockets.close()
  server.close()
  await house.stop()
})

const whoHas = (of: Readonly<Record<Person, string>>) => (message: Message) =>
  PEOPLE.find(person => of[person] === message.id)
const ids = () => Object.fromEntries(PEOPLE.map(who => [who, house.devices[who].id])) as Record<Person, string>
const row = (whose: Person, kind: number, values: object): JournalRow => ({
  seq: seq++,
  arrivedAt: Date.now(),
  device: house.devices[whose].num,
  kind,
  quality: 0,
  late: false,
  ts: Date.now(),
  deviceTs: null,
  values: JSON.stringify(values),
  raw: null,
  refusedReason: null,
})
/** Of a topic of one device whatever comes is about that device. */
const ofItsDevice = (message: Message) => PEOPLE.find(who => message.topic?.includes(house.devices[who].id))

const STANDS: Readonly<Record<string, Stand>> = {
  'device/{id}/properties': {
    happen: whose => feed.rows([row(whose, JournalKind.property, { a: seq })]),
    whoseIs: ofItsDevice,
  },
  'device/{id}/messages': {
    happen: whose => feed.rows([row(whose, JournalKind.property, { a: seq })]),
    whoseIs: ofItsDevice,
  },
  'device/{id}/state': {
    happen: whose => feed.rows([row(whose, JournalKind.online, {})]),
    whoseIs: ofItsDevice,
  },
  'device/{id}/commands': {
    happen: whose =>
      hub.publish(hubTopic.commands(house.devices[whose].num), { type: 'patch', id: 'c', patch: {}, ts: seq++ }),
    whoseIs: ofItsDevice,
  },
  'devices/state': {
    happen: whose => feed.rows([row(whose, JournalKind.offline, {})]),
    whoseIs: message => whoHas(ids())(message),
  },
  alarms: {
    happen: whose =>
      house.container.news.tell('alarms.changed', { tenantId: house.tenantId, ids: [house.alarms[whose]] }),
    whoseIs: message => whoHas(house.alarms)(message),
  },
  me: {
    happen: whose => house.container.news.tell('rights.changed', { logins: [house.logins[whose]] }),
    whoseIs: message => whoHas(house.logins)(message),
  },
  tasks: {
    happen: whose =>
      house.container.news.tell('task.changed', {
        id: house.logins[whose],
        ownerId: house.logins[whose],
        patch: { state: 'running', done: 1, total: 2, failedCount: 0, cancelRequested: false },
      }),
    whoseIs: message => whoHas(house.logins)(message),
  },
  inbox: {
    happen: () => house.container.news.tell('inbox.changed', { tenantId: house.tenantId }),
    whoseIs: null,
  },
  menus: { happen: () => house.container.news.tell('menu.changed', {}), whoseIs: null },
}

/** Follows topics as a person; what came so far, once each of them was answered. */
async function follow(who: Person, topics: readonly string[]): Promise<Message[]> {
  const heard: Message[] = []
  const socket = new WebSocket(url)
  open.push(socket)
  socket.on('message', data => heard.push(JSON.parse(String(data)) as Message))
  socket.on('open', () => {
    socket.send(JSON.stringify({ op: 'auth', token: house.tokens[who] }))
    socket.send(JSON.stringify({ op: 'subscribe', topics }))
  })
  const answered = () => heard.filter(({ op }) => op === 'subscribed' || op === 'denied').length
  await expect.poll(answered, { timeout: 30_000 }).toBe(topics.length)
  return heard
}

describe('live topics', () => {
  it('that are open to end users are all held here, and no other lets one in', async () => {
    expect(Object.keys(STANDS).toSorted()).toEqual([...END_USER_TOPICS].toSorted())
    const closed = LIVE_TOPICS.map(({ pattern }) => pattern).filter(pattern => !END_USER_TOPICS.has(pattern))
    for (const who of CUSTOMERS) {
      const heard = await follow(
        who,
        closed.map(pattern => pattern.replace('{id}', house.devices[who].id)),
      )
      expect(heard.filter(({ op }) => op !== 'ready').map(({ op, code }) => [op, code])).toEqual(
        closed.map(() => ['denied', 'permission.denied']),
      )
    }
  })

  it.each([...END_USER_TOPICS])('%s tells each person his own part and nothing of the others', async pattern => {
    const stand = STANDS[pattern]!
    const named = pattern.includes('{id}')
    const topics = named ? PEOPLE.map(who => pattern.replace('{id}', house.devices[who].id)) : [pattern]
    const heard = {} as Record<Person, Message[]>
    for (const who of PEOPLE) heard[who] = await follow(who, topics)
    if (named)
      for (const who of PEOPLE) {
        const let_in = heard[who].filter(({ op }) => op === 'subscribed').map(ofItsDevice)
        expect(let_in.toSorted(), who).toEqual([...SEES[who]].toSorted())
        const denied = heard[who].filter(({ op }) => op === 'denied')
        expect(denied.every(({ code }) => code === 'device.not_found')).toBe(true)
      }
    const news = (who: Person) => heard[who].filter(({ op, patch }) => op === undefined && patch !== undefined)
    if (stand.whoseIs === null) {
      for (const whose of PEOPLE) stand.happen(whose)
      for (const who of PEOPLE) {
        await expect.poll(() => news(who).length, { timeout: 30_000 }).toBeGreaterThan(0)
        // Nothing but that something is different, and since when.
        for (const { id, patch } of news(who))
          expect([id, Object.keys(patch!)]).toEqual([pattern, [pattern === 'inbox' ? 'changedAt' : 'changed']])
      }
      return
    }
    const whoseIs = stand.whoseIs
    // His own task and his own rights are a person's; of devices and alarms he has those below him too.
    const sees = (who: Person) => (pattern === 'me' || pattern === 'tasks' ? [who] : SEES[who])
    // Each of them hears of his own last: whatever of the others came to him has come by then.
    for (const whose of [...PEOPLE, 'customer', 'below', 'beside', 'company'] as const) {
      stand.happen(whose)
      const last = () => news(whose).some(message => whoseIs(message) === whose)
      await expect.poll(last, { timeout: 30_000 }).toBe(true)
    }
    for (const who of PEOPLE) {
      await expect
        .poll(() => [...new Set(news(who).map(whoseIs))].toSorted(), { timeout: 30_000 })
        .toEqual([...sees(who)].toSorted())
    }
  })
})
