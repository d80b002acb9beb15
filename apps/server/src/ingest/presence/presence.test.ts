import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/log.ts'
import type { SessionInfo } from '../../modules/devices/gateway.port.ts'
import { type DeviceRecord, type JournalEntry, JournalKind } from '../uplink.ts'
import type { SessionRow } from './device-sessions.repo.ts'
import { Presence } from './presence.ts'
import { SessionRows } from './session-rows.ts'
import { ShortLinks } from './short-links.ts'

const device = (num: number, delay = 30): DeviceRecord => ({ num, offlineDelaySeconds: delay }) as DeviceRecord
const info = (transport: SessionInfo['transport'], address = '1.2.3.4:5'): SessionInfo => ({
  transport,
  clientId: 'c\0lient',
  address,
  protocolVersion: '5.0',
  keepAliveSeconds: 60,
  connectedAt: 1,
  subscriptions: [],
  bytesIn: 0,
  bytesOut: 0,
  messagesIn: 0,
  messagesOut: 0,
})

function world() {
  const entries: JournalEntry[] = []
  const rows = new Map<number, SessionRow>()
  const presence = new Presence({
    clock: new ManualClock(),
    lanes: { append: added => void entries.push(...added) },
    rows: { put: row => void rows.set(row.device, row), remove: num => void rows.delete(num) },
  })
  const said = () => entries.map(e => [e.kind === JournalKind.online ? 'online' : 'offline', JSON.parse(e.values!)])
  return { presence, rows, said }
}

describe('presence', () => {
  it('says online and offline once, with reason, transport and address', () => {
    const { presence, rows, said } = world()
    presence.opened(device(1), info('mqtt'))
    expect(rows.get(1)).toMatchObject({ transport: 'mqtt', clientId: 'client' })
    presence.closed(device(1), false, 'keep_alive_timeout')
    presence.closed(device(1), false, 'kicked')
    expect(said()).toEqual([
      ['online', { transport: 'mqtt', address: '1.2.3.4:5' }],
      ['offline', { reason: 'keep_alive_timeout', transport: 'mqtt', address: '1.2.3.4:5' }],
    ])
    expect(rows.size).toBe(0)
  })

  it('keeps a device online while one of its two links lives', () => {
    const { presence, rows, said } = world()
    presence.opened(device(1), info('http'))
    presence.opened(device(1), info('mqtts'))
    expect(rows.get(1)?.transport).toBe('mqtts')
    presence.closed(device(1), false, 'client')
    expect(rows.get(1)?.transport).toBe('http')
    presence.closed(device(1), true, 'no_data')
    expect(said().map(([kind]) => kind)).toEqual(['online', 'offline'])
  })
})

describe('short links', () => {
  function links(waiting = new Set<number>()) {
    const monotonic = new ManualClock(5_000)
    const log: string[] = []
    const short = new ShortLinks({
      transport: 'http',
      clock: new ManualClock(),
      monotonic,
      opened: d => log.push(`open ${d.num}`),
      closed: (d, reason) => log.push(`close ${d.num} ${reason}`),
      isWaiting: num => waiting.has(num),
    })
    const pass = (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        monotonic.advance(1_000)
        short.tick()
      }
    }
    return { short, log, pass, monotonic }
  }

  it('are open from the first request until the offline delay has passed in silence', () => {
    const { short, log, pass } = links()
    short.seen(device(1, 30), 'a', '1.1')
    pass(20)
    short.seen(device(1, 30), 'a', '1.1')
    pass(29)
    expect(log).toEqual(['open 1'])
    pass(2)
    expect(log).toEqual(['open 1', 'close 1 no_data'])
    short.seen(device(1, 30), 'a', '1.1')
    expect(log.at(-1)).toBe('open 1')
  })

  it('do not end while a request of the device is open', () => {
    const waiting = new Set([1])
    const { short, log, pass } = links(waiting)
    short.seen(device(1, 10), 'a', '1.1')
    pass(60)
    expect(log).toEqual(['open 1'])
    waiting.clear()
    pass(11)
    expect(log).toEqual(['open 1', 'close 1 no_data'])
  })

  it('end all together after a long pause of the process', () => {
    const { short, log, monotonic } = links()
    for (let num = 1; num <= 100; num++) short.seen(device(num, 10 + num), 'a', '1.1')
    monotonic.advance(3_600_000)
    short.tick()
    expect(log.filter(line => line.startsWith('close')).length).toBe(100)
  })

  it('go on after a restart without being opened again, and end in silence', () => {
    const { short, log, pass } = links()
    short.adopt(device(1, 10), 'a')
    pass(5)
    short.seen(device(1, 10), 'a', '1.1')
    pass(9)
    expect(log).toEqual([])
    pass(2)
    expect(log).toEqual(['close 1 no_data'])
  })
})

describe('session rows', () => {
  it('writes only the last state of a device, and keeps it through an outage', async () => {
    const writes: { opened: SessionRow[]; closed: readonly number[] }[] = []
    let failing = true
    const rows = new SessionRows({
      logger: silentLogger,
      windowMs: 1,
      async write(opened, closed) {
        if (failing) throw new Error('database is away')
        writes.push({ opened: [...opened], closed })
      },
    })
    rows.put({ device: 1 } as SessionRow)
    rows.remove(1)
    rows.put({ device: 2 } as SessionRow)
    await rows.stop()
    expect(writes).toEqual([])
    failing = false
    await rows.stop()
    expect(writes).toEqual([{ opened: [{ device: 2 }], closed: [1] }])
  })
})
