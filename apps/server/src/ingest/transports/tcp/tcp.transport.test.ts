import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ManualClock } from '../../../lib/clock.ts'
import { silentLogger } from '../../../lib/log.ts'
import { aDevice } from '../../testing/entries.ts'
import type { IngestPort } from '../../transport.port.ts'
import { LinkDirectory } from '../links/link-directory.ts'
import { withoutSecret } from '../links/registrar.ts'
import { createTcpTransport, type TcpTransport, type TcpTuning } from './tcp.transport.ts'

let transport: TcpTransport
afterEach(() => transport?.stop())

async function world(link: Record<string, unknown> = {}, tuning: Partial<TcpTuning> = {}) {
  const device = aDevice(1, { offlineDelaySeconds: 60 })
  const closed: string[] = []
  const taken: string[] = []
  const monotonic = new ManualClock(1_000)
  let room = true
  let drained: (() => void) | null = null
  const port = {
    signIn: async () => ({ ok: true, device }),
    settingsOf: () => ({ linkType: 'tcp', link, format: { kind: 'label' } }),
    hasRoom: () => room,
    onDrain: (_device: unknown, resume: () => void) => {
      drained = resume
    },
    accept: ({ payload }: { payload: Buffer }) => void taken.push(payload.toString()),
    sessionOpened: () => undefined,
    sessionReady: () => undefined,
    sessionClosed: (_device: unknown, reason: string) => void closed.push(reason),
    frame: () => undefined,
    note: () => undefined,
  } as unknown as IngestPort
  transport = createTcpTransport({
    port,
    products: new LinkDirectory({ load: async () => [], logger: silentLogger }),
    clock: new ManualClock(0),
    monotonic,
    logger: silentLogger,
    host: '127.0.0.1',
    listen: { port: 0, tryNext: 0 },
    whenCurrent: (_product, then) => then(),
    tuning,
  })
  await transport.start()
  const dial = () => {
    const socket = connect(transport.port()!, '127.0.0.1')
    socket.on('error', () => undefined)
    return { socket, gone: new Promise<void>(resolve => socket.on('close', () => resolve())) }
  }
  return {
    device,
    closed,
    taken,
    monotonic,
    dial,
    fill: () => {
      room = false
    },
    drain: () => {
      room = true
      drained?.()
    },
  }
}

it('a connection that is silent for the offline delay is ended; one that is not goes on', async () => {
  const { device, closed, monotonic, dial, taken } = await world()
  const { socket, gone } = dial()
  socket.write('pk/no/secret\n')
  await expect.poll(() => transport.session(device.num)).not.toBeNull()
  monotonic.advance(50_000)
  socket.write('a\n')
  await expect.poll(() => taken).toEqual(['a'])
  monotonic.advance(50_000)
  expect(transport.session(device.num)).not.toBeNull()
  monotonic.advance(61_000)
  await gone
  expect(closed).toEqual(['no_data'])
})

it('with a heartbeat the silence has another name', async () => {
  const { closed, monotonic, dial, device } = await world({ heartbeat: { packet: { encoding: 'text', value: 'hi' } } })
  const { socket, gone } = dial()
  socket.write('pk/no/secret\n')
  await expect.poll(() => transport.session(device.num)).not.toBeNull()
  monotonic.advance(120_000)
  await gone
  expect(closed).toEqual(['keep_alive_timeout'])
})

it('a register line may come in pieces', async () => {
  const { dial, device } = await world({}, { sharedGapMs: 600_000, signInMs: 600_000 })
  const { socket } = dial()
  for (const piece of ['pk/n', 'o/secret\r\n']) await new Promise(resolve => socket.write(piece, resolve))
  await expect.poll(() => transport.session(device.num)).not.toBeNull()
  socket.destroy()
})

it('a stranger has its time', async () => {
  const { dial } = await world({}, { signInMs: 20 })
  await dial().gone
  await expect.poll(() => transport.metrics().tcp_strangers_state).toBe(0)
})

it('one address has so many places among the strangers, given back when they leave', async () => {
  const { dial, device } = await world({}, { strangersPerAddress: 2 })
  const [first, second] = [dial(), dial()]
  await expect.poll(() => transport.metrics().tcp_strangers_state).toBe(2)
  await dial().gone
  // Whoever signs in is none any more.
  first.socket.write('pk/no/secret\n')
  await expect.poll(() => transport.session(device.num)).not.toBeNull()
  second.socket.destroy()
  await expect.poll(() => transport.metrics().tcp_strangers_state).toBe(0)
})

it('reads no further while the journal has no room', async () => {
  const { dial, taken, fill, drain, device } = await world()
  const { socket } = dial()
  socket.write('pk/no/secret\n')
  await expect.poll(() => transport.session(device.num)).not.toBeNull()
  fill()
  socket.write('one\n')
  await expect.poll(() => taken).toEqual(['one'])
  await new Promise<void>(resolve => socket.write('two\n', () => resolve()))
  // What lies in the socket is not taken: a turn of the loop later nothing has come.
  await new Promise(resolve => setImmediate(resolve))
  expect(taken).toEqual(['one'])
  drain()
  await expect.poll(() => taken).toEqual(['one', 'two'])
  socket.destroy()
})

it('shows no secret in the raw view', () => {
  expect(withoutSecret(Buffer.from('pk/no/secret')).toString()).toBe('pk/no/***')
  expect(withoutSecret(Buffer.from('IMEI:1')).toString()).toBe('IMEI:1')
})
