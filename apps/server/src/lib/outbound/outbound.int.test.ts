import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP, type LookupFunction, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../testing/free-port.ts'
import { createOutbound, OutboundError, type OutboundOptions } from './outbound.ts'
import { createAddressGuard, withoutAddresses } from './outbound-guard.ts'

let server: Server
let port: number
let asked = 0
let sockets = 0
const slowAnswers: ServerResponse[] = []
/** Idle connections stay as long as any test may take. */
const KEPT_MS = 600_000

beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
    else if (request.url === '/big') response.end('x'.repeat(5000))
    else if (request.url === '/slow') {
      slowAnswers.push(response)
      response.write('it begins')
    } else if (request.url === '/cut') request.socket.destroy()
    else response.end('{"ok":true}')
  })
  server.keepAliveTimeout = KEPT_MS
  server.on('connection', () => {
    sockets += 1
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** A resolver that answers from a list, one entry per question; the last one again and again. */
function names(...answers: string[][]): LookupFunction & { asked: number } {
  const lookup = ((_host, _options, callback) => {
    const found = answers[Math.min(lookup.asked, answers.length - 1)]!
    lookup.asked += 1
    callback(
      null,
      found.map(address => ({ address, family: isIP(address) })),
    )
  }) as LookupFunction & { asked: number }
  lookup.asked = 0
  return lookup
}

const failureOf = async (promise: Promise<unknown>): Promise<string> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof OutboundError ? error.failure : String(error)
}

/** Hosts as people or attackers spell them; every one of them is this machine, a cloud's own data or a private network. */
const SPELLINGS = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '127.1',
  '127.0.1',
  '127.127.127.127',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0x7f.1',
  '0x7f000001',
  '0x7F.0x00.0x00.0x01',
  '0',
  '0.0.0.0',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '１２７.0.0.1',
  '%31%32%37.0.0.1',
  'user@127.0.0.1',
  'example.com:80@127.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::1]',
  '[fe80::1]',
  '[fd00::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '169.254.169.254',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '100.64.0.1',
  '168.63.129.16',
  '192.0.0.192',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

describe('requests to addresses that people typed in', () => {
  it.each(SPELLINGS)('never reach https://%s', async host => {
    const before = asked + sockets
    expect(
      await failureOf(createOutbound({ allow: [], lookup: names(['127.0.0.1']) }).fetch(`https://${host}:${port}/`)),
    ).toBe('blocked')
    expect(asked + sockets).toBe(before)
  })

  it.each(SPELLINGS)('never reach http://%s, whatever else is allowed', async host => {
    const before = asked + sockets
    expect(
      await failureOf(
        createOutbound({ allow: ['10.9.9.9'], lookup: names(['127.0.0.1']) }).fetch(`http://${host}:${port}/`),
      ),
    ).toBe('blocked')
    expect(asked + sockets).toBe(before)
  })

  it.each(['file:///etc/passwd', 'gopher://127.0.0.1:70/', 'data:text/plain,x', 'ftp://127.0.0.1/', 'ws://127.0.0.1/'])(
    'are no %s',
    async url => expect(await failureOf(createOutbound({ allow: ['127.0.0.0/8'] }).fetch(url))).toBe('blocked'),
  )

  it.each([22, 25, 110, 3306, 5432, 6379, 11211])('never speak to port %i, where something else listens', async other =>
    expect(await failureOf(createOutbound({ allow: ['127.0.0.0/8'] }).fetch(`http://127.0.0.1:${other}/`))).toBe(
      'blocked',
    ),
  )

  it('reach what is allowed by name, and only that', async () => {
    const outbound = createOutbound({ allow: ['127.0.0.0/8'] })
    expect(await (await outbound.fetch(`http://127.0.0.1:${port}/`)).json()).toEqual({ ok: true })
    expect(await failureOf(outbound.fetch('http://10.0.0.1/'))).toBe('blocked')
    // Public, but not encrypted.
    expect(await failureOf(outbound.fetch('http://93.184.215.14/'))).toBe('blocked')
  })

  it('are read while they come, as far as they are wanted', async () => {
    const outbound = createOutbound({ allow: ['127.0.0.1'], timeoutMs: 45_000, maxBytes: 4000 })
    const at = (path: string) => `http://127.0.0.1:${port}${path}`
    // The server never ends this one: the beginning is there all the same.
    const slow = await outbound.fetch(at('/slow'), { stream: true })
    const reader = slow.body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('it begins')
    const closed = new Promise<void>(resolve => slowAnswers.at(-1)!.once('close', () => resolve()))
    await reader.cancel()
    await closed
    // Taken back in the middle.
    const control = new AbortController()
    const again = await outbound.fetch(at('/slow'), { stream: true, signal: control.signal })
    const gone = new Promise<void>(resolve => slowAnswers.at(-1)!.once('close', () => resolve()))
    control.abort()
    await expect(again.text()).rejects.toThrow()
    await gone
    expect(await failureOf((await outbound.fetch(at('/big'), { stream: true })).text())).toBe('too_long')
    expect(await (await outbound.fetch(at('/'), { stream: true })).json()).toEqual({ ok: true })
    expect(await failureOf(outbound.fetch(at('/cut'), { stream: true }))).toBe('unreachable')
    expect(await failureOf(createOutbound({ allow: [] }).fetch('https://127.0.0.1/', { stream: true }))).toBe('blocked')
  })

  it('follow no redirect, take no long answer and wait no long time', async () => {
    const outbound = createOutbound({ allow: ['127.0.0.1'], timeoutMs: 45_000, maxBytes: 1000 })
    const redirect = await outbound.fetch(`http://127.0.0.1:${port}/redirect`)
    expect(redirect.status).toBe(302)
    expect(await failureOf(outbound.fetch(`http://127.0.0.1:${port}/big`))).toBe('too_long')
    expect((await (await outbound.fetch(`http://127.0.0.1:${port}/big`, { cut: true })).text()).length).toBe(1000)
    const impatient = createOutbound({ allow: ['127.0.0.1'], timeoutMs: 300, maxBytes: 1000 })
    expect(await failureOf(impatient.fetch(`http://127.0.0.1:${port}/slow`))).toBe('timeout')
    const wish = new AbortController()
    const waiting = failureOf(outbound.fetch(`http://127.0.0.1:${port}/slow`, { signal: wish.signal }))
    wish.abort()
    expect(await waiting).toBe('aborted')
    expect(await failureOf(outbound.fetch(`http://127.0.0.1:1/`))).toBe('blocked')
    expect(await failureOf(outbound.fetch(`http://127.0.0.1:${port}/cut`))).toBe('unreachable')
  })
})

describe('names that change what they mean', () => {
  const reachable = (options: Partial<OutboundOptions>) =>
    createOutbound({ allow: ['127.0.0.2'], timeoutMs: 45_000, ...options })

  it('are refused when any of their addresses is internal', async () => {
    const lookup = names(['93.184.215.14', '127.0.0.1'])
    expect(await failureOf(createOutbound({ allow: [], lookup }).fetch(`https://mixed.test:${port}/`))).toBe('blocked')
    expect(lookup.asked).toBe(1)
  })

  it('are looked up once per connection, and a second answer that points inside is refused', async () => {
    const inside = createServer((_request, response) => response.end('inside'))
    const outside = createServer((_request, response) => response.end('outside'))
    for (const one of [inside, outside]) one.keepAliveTimeout = KEPT_MS
    const shared = await freePort()
    await Promise.all([
      once(outside.listen(shared, '127.0.0.2'), 'listening'),
      once(inside.listen(shared, '127.0.0.1'), 'listening'),
    ])
    let insideSockets = 0
    inside.on('connection', () => {
      insideSockets += 1
    })
    try {
      for (const keepAlive of [false, true]) {
        const lookup = names(['127.0.0.2'], ['127.0.0.1'])
        const outbound = reachable({ lookup, keepAlive })
        const url = `http://rebinding.test:${shared}/`
        expect(await (await outbound.fetch(url)).text()).toBe('outside')
        expect(lookup.asked).toBe(1)
        if (keepAlive) {
          // The kept connection leads where it led.
          expect(await (await outbound.fetch(url)).text()).toBe('outside')
          expect(lookup.asked).toBe(1)
          outbound.close()
        }
        expect(await failureOf(outbound.fetch(url))).toBe('blocked')
        expect(lookup.asked).toBe(2)
      }
      expect(insideSockets).toBe(0)
    } finally {
      inside.close()
      outside.close()
      inside.closeAllConnections()
      outside.closeAllConnections()
    }
  })

  it('do not help on a socket that leads inside, whoever resolved the name', async () => {
    const before = asked
    // Permitted while the name is looked up; what is connected to is something else.
    let looks = 0
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(null, [
        {
          family: 4,
          get address() {
            looks += 1
            return looks === 1 ? '127.0.0.2' : '127.0.0.1'
          },
        },
      ])
    const outbound = reachable({ lookup })
    expect(await failureOf(outbound.fetch(`http://liar.test:${port}/`))).toBe('blocked')
    expect(looks).toBeGreaterThan(1)
    expect(asked).toBe(before)
  })

  it('do not help on a kept socket either', async () => {
    const opened: Socket[] = []
    const watch = (message: unknown) => opened.push((message as { socket: Socket }).socket)
    diagnostics.subscribe('net.client.socket', watch)
    const outbound = createOutbound({ allow: ['127.0.0.1'], keepAlive: true })
    const url = `http://127.0.0.1:${port}/`
    await (await outbound.fetch(url)).text()
    await (await outbound.fetch(url)).text()
    diagnostics.unsubscribe('net.client.socket', watch)
    // Others of this process may have opened sockets of their own meanwhile.
    const kept = opened.filter(socket => socket.remotePort === port)
    expect(kept).toHaveLength(1)
    Object.defineProperty(kept[0], 'remoteAddress', { value: '10.0.0.1' })
    const before = asked
    expect(await failureOf(outbound.fetch(url))).toBe('blocked')
    expect(asked).toBe(before)
    outbound.close()
  })

  it('are given as addresses to clients that open their own sockets', async () => {
    const guard = createAddressGuard(['127.0.0.2'], names(['127.0.0.2'], ['127.0.0.1']))
    expect(await guard.resolve('broker.test', 4222, false)).toEqual(['127.0.0.2'])
    expect(await failureOf(guard.resolve('broker.test', 4222, false))).toBe('blocked')
    for (const host of ['0x7f.1', '127.1', '[::1]', '::ffff:127.0.0.1'])
      expect(await failureOf(createAddressGuard([]).resolve(host, 4222, true))).toBe('blocked')
    expect(await failureOf(guard.resolve('127.0.0.2', 6379, true))).toBe('blocked')
    const public6 = createAddressGuard([], names(['2606:4700::6810:84e5', '93.184.215.14']))
    expect(await public6.resolve('broker.test', 4222, true)).toEqual(['93.184.215.14', '2606:4700::6810:84e5'])
    expect(await failureOf(public6.resolve('broker.test', 4222, false))).toBe('blocked')
  })
})

describe('what is said of a request that failed', () => {
  const saidOf = async (promise: Promise<unknown>): Promise<string> => {
    let said = ''
    const error = await promise.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    said = (error as Error).message
    return said
  }

  it('never names what a name stands for', async () => {
    for (const address of ['10.20.30.40', '127.0.0.1', 'fd00::1234', '169.254.169.254']) {
      const guard = createAddressGuard([], names([address]))
      const outbound = createOutbound({ allow: [], lookup: names([address]) })
      for (const said of [
        await saidOf(outbound.fetch('https://inside.example/')),
        await saidOf(guard.resolve('inside.example', 443, true)),
      ]) {
        expect(said).toContain('inside.example is not asked')
        expect(said).not.toContain(address)
      }
    }
  })

  it('nor of one that is allowed and refuses, cuts off, or does not speak TLS', async () => {
    const shut = await freePort()
    const outbound = createOutbound({ allow: ['127.0.0.1/32'], lookup: names(['127.0.0.1']) })
    for (const url of [
      `http://inside.example:${shut}/`,
      `http://inside.example:${port}/cut`,
      `https://inside.example:${port}/`,
    ]) {
      const said = await saidOf(outbound.fetch(url))
      expect(said).not.toMatch(/127\.0|\d{4,5}/)
      expect(said.length).toBeGreaterThan(3)
    }
  })

  it('is cleared of the addresses that libraries put into their words', () => {
    expect(withoutAddresses('Connection to 10.1.2.3:9092 failed')).toBe('Connection to … failed')
    expect(withoutAddresses('connect ECONNREFUSED ::1:4222')).toBe('connect ECONNREFUSED …')
    expect(withoutAddresses('connect to [fd00:1:2::7]:4222 and fe80::1%eth0')).toBe('connect to … and …')
    for (const kept of ['version 1.2.3 of 2026-11-20 10:20:30', 'no answer within 500 ms', 'broker.example:9092'])
      expect(withoutAddresses(kept)).toBe(kept)
  })
})
