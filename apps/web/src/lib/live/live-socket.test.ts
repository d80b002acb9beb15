import { describe, expect, it } from 'vitest'
import { type LiveEvent, LiveSocket, type LiveState, type SocketLike } from './live-socket.ts'

class FakeSocket implements SocketLike {
  sent: Record<string, unknown>[] = []
  closed: number | undefined
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  send(data: string): void {
    this.sent.push(JSON.parse(data))
  }
  close(code?: number): void {
    this.closed = code
  }
  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

/** The pauses of the watch: before a ping, and for its answer. */
const WATCHES = [15_000, 10_000]

function setUp() {
  const sockets: FakeSocket[] = []
  const states: LiveState[] = []
  const timers: { work: () => void; ms: number }[] = []
  /** Those that ask whether the connection carries, and that end the time for the answer. */
  const watches: typeof timers = []
  const renewed: string[] = []
  const person = { token: 't1' as string | null }
  const clock = { now: 1_000_000 }
  const heardAt: number[] = []
  const live = new LiveSocket({
    open: () => {
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket
    },
    token: () => person.token,
    renew: async refused => {
      renewed.push(refused)
      person.token = 't2'
    },
    onState: (state, heard) => {
      states.push(state)
      heardAt.push(heard)
    },
    now: () => clock.now,
    setTimer: (work, ms) => {
      const timer = { work, ms }
      ;(WATCHES.includes(ms) ? watches : timers).push(timer)
      return timer
    },
    clearTimer: timer => {
      for (const list of [timers, watches]) {
        const at = list.indexOf(timer as (typeof timers)[number])
        if (at >= 0) list.splice(at, 1)
      }
    },
    random: () => 1,
  })
  return {
    live,
    sockets,
    states,
    timers,
    watches,
    renewed,
    person,
    clock,
    heardAt,
    last: () => sockets.at(-1)!,
    /** Lets the next timer ring. */
    ring: () => timers.shift()!.work(),
    ready: () => {
      sockets.at(-1)!.onopen?.()
      sockets.at(-1)!.says({ op: 'ready' })
    },
  }
}

describe('live socket', () => {
  it('authenticates before anything else and subscribes once it is ready', () => {
    const s = setUp()
    s.live.subscribe('devices/state', () => {})
    s.live.start()
    s.last().onopen?.()
    expect(s.last().sent).toEqual([{ op: 'auth', token: 't1' }])
    s.last().says({ op: 'ready' })
    expect(s.last().sent.slice(1)).toEqual([{ op: 'subscribe', topics: ['devices/state'] }])
    expect(s.states).toEqual(['connecting', 'live'])
  })

  it('does not connect while nobody is signed in', () => {
    const s = setUp()
    s.person.token = null
    s.live.start()
    expect(s.sockets).toHaveLength(0)
  })

  it('hands snapshots and patches to every handler of the topic, and to no other', () => {
    const s = setUp()
    const first: LiveEvent[] = []
    const second: LiveEvent[] = []
    s.live.subscribe('device/1/state', event => first.push(event))
    s.live.subscribe('device/2/state', event => second.push(event))
    s.live.start()
    s.ready()
    s.last().says({ op: 'subscribed', topic: 'device/1/state', snapshot: { link: 'online' } })
    s.last().says({ topic: 'device/1/state', type: 'patch', id: '1', patch: { link: 'offline' }, ts: 5 })
    s.last().says({ topic: 'device/1/state', type: 'removed', id: '1', ts: 6 })
    s.last().says({ op: 'revoked', topic: 'device/1/state' })
    s.last().says({ op: 'denied', topic: 'device/2/state', code: 'permission.denied' })
    expect(first).toEqual([
      { type: 'snapshot', topic: 'device/1/state', snapshot: { link: 'online' } },
      { type: 'patch', topic: 'device/1/state', id: '1', patch: { link: 'offline' }, ts: 5 },
      { type: 'removed', topic: 'device/1/state', id: '1', ts: 6 },
      { type: 'revoked', topic: 'device/1/state' },
    ])
    expect(second).toEqual([{ type: 'denied', topic: 'device/2/state', code: 'permission.denied' }])
  })

  it('counts handlers: the last one to leave ends the subscription, a page change does not', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    const leaveFirst = s.live.subscribe('a', () => {})
    const leaveSecond = s.live.subscribe('a', () => {})
    leaveFirst()
    expect(s.timers).toHaveLength(0)
    leaveSecond()
    const leaveThird = s.live.subscribe('a', () => {})
    expect(s.timers).toHaveLength(0)
    leaveThird()
    s.ring()
    expect(s.last().sent.at(-1)).toEqual({ op: 'unsubscribe', topics: ['a'] })
    leaveThird()
    expect(s.timers).toHaveLength(0)
  })

  it('comes back after a cut with growing pauses and subscribes everything again', () => {
    const s = setUp()
    const seen: LiveEvent[] = []
    s.live.subscribe('a', event => seen.push(event))
    s.live.start()
    s.ready()
    const pauses: number[] = []
    for (let n = 0; n < 8; n++) {
      s.last().onclose?.({ code: 1006 })
      pauses.push(s.timers[0]!.ms)
      s.ring()
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    s.ready()
    expect(s.last().sent).toEqual([
      { op: 'auth', token: 't1' },
      { op: 'subscribe', topics: ['a'] },
    ])
    s.last().says({ op: 'subscribed', topic: 'a', snapshot: 1 })
    expect(seen).toEqual([{ type: 'snapshot', topic: 'a', snapshot: 1 }])
    expect(s.states.at(-1)).toBe('live')
    s.last().onclose?.({ code: 1006 })
    expect(s.timers[0]!.ms).toBe(500)
  })

  it('tells the server a renewed token without a new connection', () => {
    const s = setUp()
    s.live.subscribe('a', () => {})
    s.live.start()
    s.ready()
    s.person.token = 't2'
    s.live.reauthenticate()
    s.last().says({ op: 'ready' })
    expect(s.last().sent).toEqual([
      { op: 'auth', token: 't1' },
      { op: 'subscribe', topics: ['a'] },
      { op: 'auth', token: 't2' },
    ])
    s.live.reauthenticate()
    expect(s.last().sent).toHaveLength(3)
  })

  it('renews the token when the server refused it, then comes back with the new one', async () => {
    const s = setUp()
    s.live.start()
    s.ready()
    s.last().onclose?.({ code: 4401 })
    expect(s.renewed).toEqual(['t1'])
    await Promise.resolve()
    s.ring()
    s.last().onopen?.()
    expect(s.last().sent).toEqual([{ op: 'auth', token: 't2' }])
  })

  it('stays away once it is stopped', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    const socket = s.last()
    s.live.stop()
    expect(socket.closed).toBe(1000)
    socket.onclose?.({ code: 1000 })
    expect(s.timers).toHaveLength(0)
    expect(s.states.at(-1)).toBe('idle')
  })

  it('tries at once when the network is back', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    s.last().onclose?.({ code: 1006 })
    s.live.wake()
    expect(s.sockets).toHaveLength(2)
    expect(s.timers).toHaveLength(0)
  })

  it('lives through anything that is not a message', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    for (const data of ['', '{', '[]', 'null', '1', new ArrayBuffer(2), '{"op":"error","code":"x"}', '{"topic":7}'])
      s.last().onmessage?.({ data })
    expect(s.states.at(-1)).toBe('live')
  })

  it('says when a topic is followed, so that nothing is read too early', async () => {
    const s = setUp()
    const said: string[] = []
    const wait = (topic: string) => s.live.followed(topic).then(() => said.push(topic))
    s.live.subscribe('a', () => said.push('told'))
    s.live.start()
    // Without a connection there is nothing to wait for.
    await wait('a')
    s.ready()
    const first = wait('a')
    s.last().says({ op: 'subscribed', topic: 'b', snapshot: 1 })
    s.last().says({ op: 'subscribed', topic: 'a', snapshot: 1 })
    await first
    await wait('a')
    expect(said).toEqual(['a', 'told', 'a', 'a'])
    // A refusal is an answer, and so is the end of the connection or of patience.
    const denied = wait('c')
    s.last().says({ op: 'denied', topic: 'c', code: 'permission.denied' })
    await denied
    const cut = wait('d')
    s.last().onclose?.({ code: 1006 })
    await cut
    s.ring()
    s.ready()
    const late = wait('a')
    s.ring()
    await late
    expect(said).toEqual(['a', 'told', 'a', 'a', 'c', 'd', 'a'])
  })

  it('asks a connection on which nothing was heard, and gives it up without an answer within 10 s', () => {
    const s = setUp()
    s.live.subscribe('a', () => {})
    s.live.start()
    s.ready()
    s.clock.now += 15_000
    s.watches.shift()!.work()
    expect(s.last().sent.at(-1)).toEqual({ op: 'ping' })
    s.last().says({ op: 'pong' })
    expect(s.states.at(-1)).toBe('live')
    s.clock.now += 15_000
    s.watches.shift()!.work()
    const [dead] = s.sockets
    expect(s.watches.map(({ ms }) => ms)).toEqual([10_000])
    s.watches.shift()!.work()
    expect(dead!.closed).toBe(1000)
    expect(s.sockets).toHaveLength(2)
    expect(s.states.at(-1)).toBe('reconnecting')
    s.ready()
    expect([s.states.at(-1), s.last().sent.at(-1)]).toEqual(['live', { op: 'subscribe', topics: ['a'] }])
  })

  it('does not call itself live after a sleep until the connection has answered', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    const heard = s.clock.now
    s.clock.now += 8 * 3_600_000
    s.live.wake()
    expect([s.states.at(-1), s.heardAt.at(-1)]).toEqual(['reconnecting', heard])
    s.last().says({ op: 'pong' })
    expect(s.states.at(-1)).toBe('live')
    // A glance at another tab is no sleep.
    s.clock.now += 5_000
    s.live.wake()
    expect([s.states.at(-1), s.last().sent.at(-1)]).toEqual(['live', { op: 'ping' }])
  })

  it('asks nothing of a connection on which it hears enough', () => {
    const s = setUp()
    s.live.start()
    s.ready()
    s.clock.now += 14_000
    s.last().says({ topic: 'a', type: 'patch', id: '1', patch: {}, ts: 1 })
    s.clock.now += 1_000
    s.watches.shift()!.work()
    expect(s.last().sent).toEqual([{ op: 'auth', token: 't1' }])
    expect(s.watches).toHaveLength(1)
    s.live.stop()
    expect(s.watches).toHaveLength(0)
  })
})
