import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type ReceivedItem,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../../../../tools/simulators/webhook/webhook-receiver.ts'
import { createWebhookAdapter } from '../../adapters/subscription-target/webhook/webhook-target.ts'
import { silentLogger } from '../../lib/log.ts'
import { freePort } from '../../lib/testing/free-port.ts'
import { Deliverer } from './deliverer.ts'
import { envelope } from './items.ts'
import type { StoredItem } from './payload.ts'
import type { LogRow, ProgressRow } from './queue.repo.ts'
import { ManualTiming } from './testing.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const SECRET = 'secret-of-the-faulty-receiver'
/** Against hanging: where a receiver is to be too slow, the test says when the time is up. */
const PATIENCE_MS = 60_000
const FRESH: ProgressRow = {
  ackedSeq: 0,
  delivered: 0,
  dropped: 0,
  failures: 0,
  failingSince: null,
  nextTryAt: null,
  headSince: null,
  headAttempts: 0,
  lastDeliveredAt: null,
  lastFailedAt: null,
  lastError: null,
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function receiverOn(timing: ManualTiming, port?: number): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver({ secret: SECRET, now: () => timing.now(), ...(port ? { port } : {}) })
  ends.push(() => receiver.close())
  return receiver
}

/** A queue whose deliverer posts to a real receiver, while the time between tries is ours. */
function queueFor(
  timing: ManualTiming,
  url: string,
  over: { allow?: string[]; lookup?: LookupFunction; timeoutMs?: number } = {},
) {
  const stored: StoredItem[] = []
  const log: LogRow[] = []
  const dead: StoredItem[] = []
  const state = { progress: { ...FRESH }, givenUp: null as string | null }
  const adapter = createWebhookAdapter({
    allow: over.allow ?? ['127.0.0.0/8'],
    now: () => timing.now(),
    timeoutMs: over.timeoutMs ?? PATIENCE_MS,
    ...(over.lookup ? { lookup: over.lookup } : {}),
  })
  const open = () => {
    const opened = new Deliverer({
      subscriptionId: 's',
      tenantId: '00000000-0000-7000-8000-000000000001',
      payload: { format: 'envelope' },
      maxItems: 10,
      waitMs: 0,
      progress: state.progress,
      queue: {
        read: async (after, limit) => stored.filter(item => item.seq > after).slice(0, limit),
        async save(progress) {
          state.progress = progress
        },
        log: async row => void log.push(row),
        bury: async items => void dead.push(...items),
        sensors: async () => new Map(),
      },
      open: events =>
        adapter.open(
          { subscriptionId: 's', tenantId: 't', name: 'n', target: { kind: 'webhook', url }, secrets: [SECRET] },
          events,
        ),
      timing,
      logger: silentLogger,
      onGivenUp: error => {
        state.givenUp = error
      },
    })
    ends.push(() => opened.stop())
    return opened
  }
  const queue = {
    log,
    dead,
    state,
    deliverer: open(),
    put(count: number) {
      for (let i = 0; i < count; i++) {
        const seq = stored.length + 1
        const deviceNo = `d${seq % 3}`
        const head = { id: `i${seq}`, type: 'property' as const, ts: seq, productKey: 'P', deviceNo, deviceId: 'x' }
        stored.push({ seq, at: timing.now(), device: seq % 3, item: envelope(head, `{"n":${seq}}`) })
      }
      queue.deliverer.wake()
    },
    advance: (ms: number) => timing.advance(ms, () => queue.deliverer.settled()),
  }
  return queue
}

const sequenceOf = (item: ReceivedItem) => item.data.n as number
const idsOf = (receiver: WebhookReceiver) => new Set(receiver.items.map(({ id }) => id))
const upTo = (n: number) => new Set(Array.from({ length: n }, (_, i) => `i${i + 1}`))

/** Everything arrived at least once, unchanged and in the order of each device, and nothing was given up. */
function expectWhole(receiver: WebhookReceiver, queue: ReturnType<typeof queueFor>, count: number): void {
  expect(idsOf(receiver)).toEqual(upTo(count))
  expect(receiver.outOfOrder(sequenceOf)).toEqual([])
  expect(receiver.faults).toEqual([])
  expect(queue.state.progress).toMatchObject({ ackedSeq: count, failures: 0, lastError: null })
  expect([queue.dead, queue.state.givenUp]).toEqual([[], null])
}

describe('a receiver', () => {
  it('that is down for ten minutes gets everything when it is back', async () => {
    const timing = new ManualTiming()
    const first = await receiverOn(timing, await freePort())
    const queue = queueFor(timing, first.url)
    queue.put(25)
    await queue.advance(0)
    expectWhole(first, queue, 25)
    await first.close()
    for (let minute = 0; minute < 10; minute++) {
      queue.put(30)
      await queue.advance(MINUTE)
    }
    const failed = queue.log.filter(({ result }) => result === 'retry')
    expect(new Set(failed.map(({ reason }) => reason))).toEqual(new Set(['unreachable']))
    const at = failed.map(row => (row.at.getTime() - failed[0]!.at.getTime()) / SECOND)
    expect(at).toEqual([0, 1, 3, 8, 18, 48, 108, 228, 528])
    expect(queue.state.progress.ackedSeq).toBe(25)

    const second = await receiverOn(timing, first.port)
    await queue.advance(10 * MINUTE)
    expect(second.duplicates).toBe(0)
    second.items.unshift(...first.items)
    expectWhole(second, queue, 325)
  })

  it('that is too slow, breaks off or answers 500 gets it again, with the ids it had', async () => {
    // Sender and receiver wait by this clock, the connection between them by its own.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    ends.push(() => vi.useRealTimers())
    const timing = new ManualTiming()
    const receiver = await receiverOn(timing)
    const queue = queueFor(timing, receiver.url, { timeoutMs: 60 })
    // Takes everything, and answers when nobody listens any more: the classical duplicate.
    receiver.behave({ kind: 'slow', ms: 150 })
    queue.put(5)
    await expect.poll(() => receiver.items.length).toBe(5)
    vi.advanceTimersByTime(60)
    await queue.advance(0)
    expect(queue.log.at(-1)).toMatchObject({ result: 'retry', reason: 'timeout' })
    receiver.behave({ kind: 'cut' })
    await queue.advance(SECOND)
    expect(queue.log.at(-1)).toMatchObject({ result: 'retry', reason: 'unreachable' })
    receiver.behave({ kind: 'status', status: 500, body: 'out of order' })
    await queue.advance(2 * SECOND)
    expect(queue.log.at(-1)).toMatchObject({ result: 'retry', reason: 'status', status: 500, answer: 'out of order' })
    receiver.behave({ kind: 'take' })
    queue.put(5)
    await queue.advance(5 * SECOND)
    expect(receiver.duplicates).toBe(5)
    expectWhole(receiver, queue, 10)
  })

  it('that hangs delays nobody else', async () => {
    const timing = new ManualTiming()
    const hanging = await receiverOn(timing)
    const healthy = await receiverOn(timing)
    hanging.behave({ kind: 'hang' })
    const stuck = queueFor(timing, hanging.url)
    const other = queueFor(timing, healthy.url)
    stuck.put(1)
    await expect.poll(() => hanging.requests).toBe(1)
    other.put(200)
    await other.deliverer.settled()
    expectWhole(healthy, other, 200)
    expect([stuck.state.progress.ackedSeq, hanging.requests]).toEqual([0, 1])
  })

  it('that sends us on to another address is not followed', async () => {
    const timing = new ManualTiming()
    let inside = 0
    const within: Server = createServer((_request, response) => {
      inside += 1
      response.end()
    })
    await new Promise<void>(resolve => within.listen(0, '127.0.0.1', resolve))
    ends.push(() => within.close())
    const location = `http://127.0.0.1:${(within.address() as AddressInfo).port}/admin`
    const receiver = await receiverOn(timing)
    const queue = queueFor(timing, receiver.url)
    for (const [n, status] of [301, 302, 303, 307, 308].entries()) {
      receiver.behave({ kind: 'status', status, headers: { location } })
      if (n === 0) queue.put(1)
      await queue.advance(n === 0 ? 0 : HOUR)
      expect(queue.log.at(-1)).toMatchObject({ result: 'retry', reason: 'redirect', status, detail: location })
    }
    expect(inside).toBe(0)
    receiver.behave({ kind: 'take' })
    await queue.advance(HOUR)
    expectWhole(receiver, queue, 1)
  })

  it('whose name means an inner address from the second look-up on is not reached there', async () => {
    const timing = new ManualTiming()
    const receiver = await receiverOn(timing)
    let looks = 0
    const lookup: LookupFunction = (_host, _options, callback) => {
      looks += 1
      const address = looks === 1 ? '127.0.0.1' : '127.0.0.9'
      callback(null, [{ address, family: isIP(address) }])
    }
    let inside = 0
    const within = createServer((_request, response) => {
      inside += 1
      response.end()
    })
    await new Promise<void>(resolve => within.listen(receiver.port, '127.0.0.9', resolve))
    ends.push(() => within.close())
    const url = `http://rebinding.test:${receiver.port}/hook`
    const queue = queueFor(timing, url, { allow: ['127.0.0.1/32'], lookup })
    queue.put(3)
    await queue.advance(0)
    expect(queue.state.progress.ackedSeq).toBe(3)
    // The connection is cut, so the next delivery needs a new one, and a new look-up.
    receiver.behave({ kind: 'cut' })
    queue.put(1)
    await queue.advance(0)
    receiver.behave({ kind: 'take' })
    await queue.advance(MINUTE)
    expect(queue.log.at(-1)).toMatchObject({ result: 'retry', reason: 'blocked' })
    expect([inside, looks > 1]).toEqual([0, true])
    expect(idsOf(receiver)).toEqual(upTo(3))
  })
})
