import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { inBackground } from '../../../lib/background.ts'
import { silentLogger } from '../../../lib/log.ts'
import { EngineBroken, Sandbox } from './sandbox.ts'
import type { ScriptJob } from './script-jobs.ts'
import { ScriptPool } from './script-pool.ts'

const up = (hex = '00', deviceNo = 'd'): ScriptJob => ({ kind: 'up', hex, deviceNo, at: 0, variables: {} })
const ENDLESS = 'function decode() { for (;;) {} }'
const GOOD = 'function decode(input) { return { n: input.bytes[0] } }'
/** One step of the engine that takes a minute and asks nobody. */
const HANGS = 'function decode(input) { return input.bytes[0] ? new Array(1e9).join("ab") : { ok: 1 } }'

const pools: ScriptPool[] = []
afterEach(() => Promise.all(pools.splice(0).map(pool => pool.stop())))

function aPool(options: { hangMs?: number; now?: () => number; size?: number } = {}): ScriptPool {
  const pool = new ScriptPool({ logger: silentLogger, size: 2, ...options })
  pools.push(pool)
  return pool
}

describe('a script', () => {
  const pool = new ScriptPool({ logger: silentLogger, size: 1 })
  afterAll(() => pool.stop())
  const outcome = (source: string) => pool.open(source).run(up())

  it('that never ends is stopped', async () => {
    expect(await outcome(ENDLESS)).toMatchObject({ ok: false, reason: 'script_timeout', line: 1 })
  })

  it('that never ends inside a regular expression is stopped', async () => {
    const source = 'function decode() { return /(a+)+$/.test("a".repeat(40) + "b") }'
    expect(await outcome(source)).toMatchObject({ ok: false, reason: 'script_timeout' })
  })

  it('that takes memory without end is stopped', async () => {
    const source = 'function decode() {\n const kept = []\n for (;;) kept.push("x".repeat(4e6) + kept.length)\n}'
    expect(await outcome(source)).toMatchObject({ ok: false, reason: 'script_memory' })
  })

  it('that calls itself without end is stopped', async () => {
    expect(await outcome('function decode() { return decode() }')).toMatchObject({
      ok: false,
      reason: 'script_error',
      detail: 'InternalError: stack overflow',
    })
  })

  it('of another platform may have a helper named decode', async () => {
    const source =
      'function decode(bytes) { return bytes[0] }\nfunction decodeUplink(input) { return { data: { t: decode(input.bytes) } } }'
    expect(await pool.open(source).run(up('15'))).toMatchObject({ ok: true, style: 'plain', result: { t: 21 } })
    const older = 'function decode(b) { return b[0] }\nfunction Decoder(bytes, port) { return { t: decode(bytes) } }'
    expect(await pool.open(older).run(up('15'))).toMatchObject({ ok: true, style: 'plain', result: { t: 21 } })
    const tool =
      'class Decoder { read(b) { return b[0] } }\nfunction decode(input) { return { t: new Decoder().read(input.bytes) } }'
    expect(await pool.open(tool).run(up('15'))).toMatchObject({ ok: true, style: 'own', result: { t: 21 } })
  })

  it('gets the time of arrival as a Date where TS013 says so', async () => {
    const source =
      'function decodeUplink(input) { return { data: { at: input.recvTime.toISOString(), is: input.recvTime instanceof Date } } }'
    expect(await outcome(source)).toMatchObject({ ok: true, result: { at: '1970-01-01T00:00:00.000Z', is: true } })
  })

  it('reads bytes as in Node.js', async () => {
    const source = `function decode(input) {
      const b = Buffer.from(input.bytes)
      return { u16: b.readUInt16BE(0), i16: b.readInt16LE(0), f: Buffer.from('41ac0000', 'hex').readFloatBE(0), u24: b.readUIntBE(0, 3),
        big: Buffer.from('7fffffffffffffff', 'hex').readBigInt64BE(0), hex: b.toString('hex'), b64: b.toString('base64'), part: b.slice(1, 3).toString('hex'),
        text: Buffer.from('w6k=', 'base64').toString(), a: atob('aGk='), b: btoa('hi'), joined: Buffer.concat([b, Buffer.from([1])]).length,
        is: Buffer.isBuffer(b), utf: Buffer.from('\\u00e9\\ud83d\\ude00').toString('hex') }
    }`
    expect(await pool.open(source).run(up('fffe01'))).toMatchObject({
      ok: true,
      result: {
        u16: 0xfffe,
        i16: -257,
        f: 21.5,
        u24: 0xfffe01,
        big: '9223372036854775807',
        hex: 'fffe01',
        b64: '//4B',
        part: 'fe01',
        text: '\u00e9',
        a: 'hi',
        b: 'aGk=',
        joined: 4,
        is: true,
        utf: 'c3a9f09f9880',
      },
    })
    const beyond = 'function decode(input) { return { t: Buffer.from(input.bytes).readUInt16BE(0) } }'
    expect(await pool.open(beyond).run(up('01'))).toMatchObject({ ok: false, reason: 'script_error' })
  })

  it('names values that are no numbers beside those that are', async () => {
    expect(await outcome('function decode() { return { t: 21.5, h: NaN, p: 1 / 0 } }')).toMatchObject({
      ok: true,
      result: { t: 21.5, h: null, p: null },
      unreadable: ['h', 'p'],
    })
  })

  it('sees nothing of the host', async () => {
    const source = `function decode() {
      const away = name => { try { return (0, eval)('typeof ' + name) } catch (e) { return String(e) } }
      return { process: away('process'), require: away('require'), fetch: away('fetch'), host: this.constructor.constructor('return typeof process')() }
    }`
    expect(await outcome(source)).toMatchObject({
      ok: true,
      result: { process: 'undefined', require: 'undefined', fetch: 'undefined', host: 'undefined' },
    })
  })

  it('cannot change what all frames share', async () => {
    const source = `function decode() {
      const found = [typeof globalThis.left, [].left, JSON.parse('{"a":1}').a, Object.left, typeof left2]
      globalThis.left = 1; Array.prototype.left = 1; Object.left = 1
      try { JSON.parse = () => ({ a: 2 }) } catch {}
      try { Object.defineProperty(globalThis, 'left2', { value: 1 }) } catch {}
      return { found: found.join() }
    }`
    const script = pool.open(source)
    for (let i = 0; i < 3; i++)
      expect(await script.run(up())).toMatchObject({ result: { found: 'undefined,,1,,undefined' } })
  })

  it('may give its objects names of the language', async () => {
    const source = `class Mine extends Error { constructor(m) { super(m); this.name = 'Mine' } }
function decode() { const o = {}; o.toString = () => 'o'; o.constructor = 1; throw new Mine(String(o)) }`
    expect(await outcome(source)).toMatchObject({ ok: false, reason: 'script_error', detail: 'Mine: o', line: 1 })
  })

  it('that cannot be read is told with its line', async () => {
    expect(await outcome('\nfunction decode() { let a = ; }')).toMatchObject({
      ok: false,
      reason: 'script_error',
      line: 2,
    })
    expect(await outcome('})(); (function () {')).toMatchObject({ ok: false, reason: 'script_error' })
  })

  it('that is asynchronous is refused', async () => {
    expect(await outcome('async function decode() { return {} }')).toMatchObject({
      detail: 'Error: asynchronous functions cannot be used',
    })
  })
})

describe('the pool', () => {
  it('gives the outcomes of one script in the order of the calls, those before and behind a failure too', async () => {
    const script = aPool().open('function decode(i) { if (i.bytes[0] === 3) for (;;) {} return { n: i.bytes[0] } }')
    const order: number[] = []
    const outcomes = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async n => {
        const outcome = await script.run(up(`0${n}`))
        order.push(n)
        return outcome.ok ? (outcome.result as { n: number }).n : outcome.reason
      }),
    )
    expect(outcomes).toEqual([0, 1, 2, 'script_timeout', 4, 5])
    expect(order).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('lets a script rest that keeps running over, and serves the others meanwhile', async () => {
    let now = 0
    const pool = aPool({ now: () => now })
    const endless = pool.open(ENDLESS)
    const good = pool.open(GOOD)
    const bad = Promise.all(Array.from({ length: 50 }, () => endless.run(up())))
    for (let n = 0; n < 20; n++) expect(await good.run(up('07'))).toMatchObject({ ok: true, result: { n: 7 } })
    expect(new Set((await bad).map(outcome => outcome.ok || outcome.reason))).toEqual(new Set(['script_timeout']))
    // Three frames cost their time, the others none.
    expect(pool.counters).toMatchObject({ failed: 3, refused_resting: 47 })
    expect((await endless.run(up())).ok).toBe(false)
    expect(pool.counters.refused_resting).toBe(48)
    now += 1_000
    await endless.run(up())
    expect(pool.counters).toMatchObject({ failed: 4, refused_resting: 48 })
  })

  it('replaces a thread that hangs; only the frame that hung it is lost', async () => {
    const pool = aPool({ hangMs: 1_000 })
    const script = pool.open(HANGS)
    await script.run(up('00'))
    const [before, culprit, after] = [script.run(up('00')), script.run(up('01')), script.run(up('00'))]
    expect(await culprit).toMatchObject({ ok: false, reason: 'script_timeout' })
    expect(await before).toMatchObject({ ok: true })
    // The script rests, other scripts do not.
    expect(await after).toMatchObject({ ok: false })
    expect(await pool.open(GOOD).run(up('05'))).toMatchObject({ ok: true, result: { n: 5 } })
    expect(pool.counters.killed).toBe(1)
  })

  it('does not blame a thread for a machine that stood still', async () => {
    let now = 0
    let looks = 0
    const clock = () => {
      looks++
      return now
    }
    const pool = aPool({ now: clock, size: 1 })
    const some = async () => {
      const before = looks
      await expect.poll(() => looks - before).toBeGreaterThan(2)
    }
    const script = pool.open(HANGS)
    await script.run(up('00'))
    inBackground('a run of a script', script.run(up('01')))
    await some()
    now += 60_000
    await some()
    expect(pool.counters.killed).toBe(0)
  })

  it('shares a script within its owner only, so that one does not rest because another one of the same text runs over', async () => {
    const pool = aPool({ now: () => 0 })
    const source = 'function decode(i) { while (i.bytes[0]) {} return { n: 1 } }'
    const [theirs, mine] = [pool.open(source), pool.open(source)]
    for (let i = 0; i < 3; i++) await theirs.run(up('01'))
    expect((await theirs.run(up('00'))).ok).toBe(false)
    expect(await mine.run(up('00'))).toMatchObject({ ok: true })
    const [one, two] = [pool.open(source, 'product'), pool.open(source, 'product')]
    for (let i = 0; i < 3; i++) await one.run(up('01'))
    expect((await two.run(up('00'))).ok).toBe(false)
    theirs.close()
    one.close()
    one.close()
    expect((await two.run(up('00'))).ok).toBe(false)
    two.close()
    expect(await pool.open(source, 'product').run(up('00'))).toMatchObject({ ok: true })
    expect(await mine.run(up('00'))).toMatchObject({ ok: true })
  })
})

it.skipIf(process.platform !== 'linux')('a script is not ended because the machine stood still', async () => {
  let looks = Number.NEGATIVE_INFINITY
  const sandbox = await Sandbox.create(undefined, () => {
    // Two come before the frame begins.
    if (++looks === 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)
  })
  const source = 'function decode() { let n = 0; while (n < 30000) n++; return { n } }'
  expect(sandbox.run('s', source, up())).toMatchObject({ ok: true })
  looks = 0
  expect(sandbox.run('s', source, up())).toMatchObject({ ok: true, result: { n: 30_000 } })
  expect(looks).toBeGreaterThan(3)
})

it('an engine whose own recursion broke it says so', async () => {
  const sandbox = await Sandbox.create({ cpuMs: 5_000, memoryBytes: 64 * 2 ** 20, stackBytes: 0 })
  const source = 'function decode() { return JSON.parse("[".repeat(1e6)) }'
  expect(() => sandbox.run('s', source, up())).toThrow(EngineBroken)
})
