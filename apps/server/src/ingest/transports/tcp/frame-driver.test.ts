import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ManualClock } from '../../../lib/clock.ts'
import { linkSettings } from '../../../lib/links/settings.ts'
import { aDevice } from '../../testing/entries.ts'
import type { DownlinkMessage, SessionInfo } from '../../transport.port.ts'
import { FrameDriver } from './frame-driver.ts'

/** The look at the sockets before a silence counts: a millisecond of the clock of these tests. */
const A_LOOK = 1
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function world(link: Record<string, unknown> = {}) {
  const device = aDevice(1)
  const taken: string[] = []
  const notes: string[] = []
  const written: string[] = []
  const ends: string[] = []
  let ready = 0
  const room = { socket: true }
  const info: SessionInfo = {
    transport: 'tcp',
    clientId: '',
    address: '1.2.3.4:5',
    protocolVersion: 'raw',
    keepAliveSeconds: 300,
    connectedAt: 0,
    subscriptions: [],
    bytesIn: 0,
    bytesOut: 0,
    messagesIn: 0,
    messagesOut: 0,
  }
  const driver = new FrameDriver({
    device,
    settings: linkSettings(link, 'label'),
    info,
    clock: new ManualClock(1_000),
    port: {
      accept: ({ payload, channel }) => void taken.push(`${channel.kind} ${payload.toString('latin1')}`),
      frame: () => undefined,
      note: (_key, _no, event) => void notes.push(event),
      sessionReady: () => {
        ready++
      },
    },
    line: {
      write: bytes => {
        if (room.socket) written.push(bytes.toString('latin1'))
        return room.socket
      },
      hold: () => undefined,
      end: reason => void ends.push(reason),
    },
  })
  const command = (id: string, over: Partial<DownlinkMessage> = {}): DownlinkMessage => ({
    commandId: id,
    suffix: 'property/set',
    payload: Buffer.from(JSON.stringify({ id, params: { pump: true } })),
    command: { kind: 'property_set', identifier: null, params: { pump: true } },
    ...over,
  })
  return { driver, taken, notes, written, ends, command, room, ready: () => ready }
}

describe('frames of a device over its connection', () => {
  it('silence ends the last frame; a device that hangs up loses nothing', () => {
    const { driver, taken } = world()
    driver.push(Buffer.from('a\nb'))
    expect(taken).toEqual(['raw a'])
    vi.advanceTimersByTime(300 + A_LOOK)
    expect(taken).toEqual(['raw a', 'raw b'])
    driver.push(Buffer.from('c'))
    driver.close()
    expect(taken).toEqual(['raw a', 'raw b', 'raw c'])
  })

  it('a length that cannot be ends the connection with its reason', () => {
    const { driver, notes, ends } = world({
      framing: { kind: 'length', offset: 0, bytes: 2, endian: 'big', adjustment: 0 },
    })
    driver.push(Buffer.from('ffff00', 'hex'))
    expect([notes, ends]).toEqual([['frame_too_long'], ['protocol_error']])
  })

  it('commands are frames, or a line of JSON where the format makes none', () => {
    const { driver, written, command } = world()
    expect(driver.deliver(command('1', { frames: [Buffer.from('on'), Buffer.from('go')] }))).toBe('sent')
    expect(driver.deliver(command('2'))).toBe('sent')
    expect(written).toEqual(['on', 'go', '{"kind":"property_set","id":"2","params":{"pump":true}}\n'])
  })

  it('while an answer is expected the next command stays in its queue, and is called for when the line is free', () => {
    const { driver, written, taken, command, ready } = world()
    const expects = { matches: (frame: Buffer) => frame.toString() === 'ok', carriesData: false }
    const asking = (id: string) => command(id, { frames: [Buffer.from(id)], expects })
    expect(driver.deliver(asking('1'))).toBe('sent')
    expect(driver.deliver(asking('2'))).toBe('not_reachable')
    driver.push(Buffer.from('reading\n'))
    expect([driver.deliver(asking('2')), ready()]).toEqual(['not_reachable', 0])
    driver.push(Buffer.from('ok\n'))
    expect([ready(), driver.deliver(asking('2'))]).toEqual([1, 'sent'])
    // Nothing comes: the line is not kept for ever.
    vi.advanceTimersByTime(5_000 + A_LOOK)
    expect([ready(), driver.deliver(asking('3'))]).toEqual([2, 'sent'])
    expect(written).toEqual(['1', '2', '3'])
    expect(taken).toEqual(['raw reading', 'raw ok'])
    driver.close()
  })

  it('a socket that takes no more leaves the command in its queue', () => {
    const { driver, command, room } = world()
    room.socket = false
    expect(driver.deliver(command('1', { frames: [Buffer.from('x')] }))).toBe('not_reachable')
  })
})
