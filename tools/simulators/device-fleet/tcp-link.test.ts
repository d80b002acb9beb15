import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TcpLink, type TcpLinkOptions } from './tcp-link.ts'

let server: Server
let lines: Socket[]
let texts: string[]
let link: TcpLink | null
/** The link's clock: it moves when a test says so. */
let now: number
let heard: string
let ups: number

beforeEach(async () => {
  lines = []
  texts = []
  now = 1_000_000
  heard = ''
  ups = 0
  server = createServer(socket => {
    const i = lines.push(socket) - 1
    texts[i] = ''
    socket.on('data', chunk => {
      texts[i] += chunk.toString()
    })
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const line of lines) line.destroy()
  await link?.stop()
  server.close()
})

function dialling(over: Partial<TcpLinkOptions> = {}): TcpLink {
  link = new TcpLink(
    {
      address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
      register: 'who\r\n',
      heartbeat: { packet: 'HB\r\n', everyMs: 30_000 },
      silenceMs: 95_000,
      random: () => 0,
      now: () => now,
      ...over,
    },
    { ready: () => ups++, data: bytes => (heard += bytes.toString()) },
    now,
  )
  link.tick(now)
  return link
}

describe('the line of a DTU', () => {
  it('says who it is, shows that it is alive, and is up when the server has answered', async () => {
    const line = dialling()
    await expect.poll(() => texts[0]).toBe('who\r\nHB\r\n')
    expect(line.ready).toBe(false)
    expect(line.write('too early')).toBe(false)
    lines[0]!.write('OK\r\n')
    await expect.poll(() => line.ready).toBe(true)
    expect({ heard, ups }).toEqual({ heard: 'OK\r\n', ups: 1 })
    line.tick(now + 29_999)
    line.tick(now + 30_000)
    expect(line.write('frame')).toBe(true)
    await expect.poll(() => texts[0]).toBe('who\r\nHB\r\nHB\r\nframe')
  })

  it('dials again after a cut, later each time while nobody answers', async () => {
    const line = dialling({ heartbeat: null, random: () => 1 })
    const pauses: number[] = []
    for (let i = 0; i < 3; i++) {
      await expect.poll(() => texts[i]).toBe('who\r\n')
      lines[i]!.end()
      // Both sides have closed: the time that counts begins.
      await once(lines[i]!, 'close')
      let waited = 0
      await expect
        .poll(() => {
          now += 100
          waited += 100
          line.tick(now)
          return lines.length
        })
        .toBe(i + 2)
      pauses.push(waited)
    }
    expect(pauses[0]).toBeGreaterThanOrEqual(1_000)
    expect(pauses[2]).toBeGreaterThanOrEqual(4_000)
    expect(pauses[2]).toBeGreaterThan(pauses[0]! + 1_000)
  })

  it('gives up on a server that is silent, and is up again with the next', async () => {
    const line = dialling()
    await expect.poll(() => texts[0]).toContain('HB')
    lines[0]!.write('OK\r\n')
    await expect.poll(() => line.ready).toBe(true)
    now += 95_001
    line.tick(now)
    expect(line.ready).toBe(false)
    now += 60_000
    line.tick(now)
    await expect.poll(() => texts[1]).toContain('HB')
    lines[1]!.write('OK\r\n')
    await expect.poll(() => line.ready).toBe(true)
    expect(ups).toBe(2)
  })

  it('stays where it is when there is nowhere to dial, and when it was stopped', async () => {
    const nowhere = dialling({ address: null })
    nowhere.tick(now + 1_000_000)
    await nowhere.stop()
    const line = dialling()
    await expect.poll(() => lines.length).toBe(1)
    await line.stop()
    line.tick(now + 1_000_000)
    expect(line.ready).toBe(false)
    expect(lines).toHaveLength(1)
  })
})
