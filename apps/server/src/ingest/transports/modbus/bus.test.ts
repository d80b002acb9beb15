import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inBackground } from '../../../lib/background.ts'
import { buildRtu, buildTcp } from '../../codecs/modbus/index.ts'
import { Bus, type BusAnswer, type Patience } from './bus.ts'
import { nextPoll, type Slave } from './slave.ts'

/** The look at the sockets before a silence counts: a millisecond of the clock of these tests. */
const A_LOOK = 1
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const read = (address: number) => Buffer.from([3, 0, address, 0, 1])
const answer = (word: number) => Buffer.from([3, 2, 0, word])

function world(mode: 'rtu' | 'tcp' = 'rtu') {
  const asked: string[] = []
  const received: boolean[] = []
  const bus = new Bus({
    mode,
    write: bytes => asked.push(bytes.toString('hex')) > 0,
    received: (_bytes, ours) => void received.push(ours),
    pauseMs: 0,
  })
  /** Asks, and writes down what became of it. */
  const ask = (name: string, address: number, urgent = false, over: Partial<Patience> = {}) => {
    inBackground(
      'a question on the bus',
      bus
        .ask(1, read(address), { timeoutMs: 100, retries: 1, pauseMs: 0, ...over }, urgent)
        .then(result => told.push([name, result])),
    )
  }
  const told: [string, BusAnswer][] = []
  const outcome = () =>
    told.map(([name, result]) => `${name}:${result.ok ? result.data.toString('hex') : result.reason}`)
  return { bus, asked, received, ask, outcome }
}
const hex = (bytes: Buffer) => bytes.toString('hex')

describe('a Modbus bus', () => {
  it('asks one thing at a time, and what a command asks goes first', async () => {
    const { bus, asked, ask, outcome } = world()
    ask('poll 1', 1)
    ask('poll 2', 2)
    ask('write', 9, true)
    expect(asked).toEqual([hex(buildRtu(1, read(1)))])
    bus.push(buildRtu(1, answer(7)))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.at(-1)).toBe(hex(buildRtu(1, read(9))))
    bus.push(buildRtu(1, answer(8)))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked.at(-1)).toBe(hex(buildRtu(1, read(2))))
    expect(outcome()).toEqual(['poll 1:0007', 'write:0008'])
  })

  it('asks again, then gives up; a late answer is not taken for the next one’s', async () => {
    const { bus, asked, ask, outcome, received } = world()
    ask('lost', 1)
    ask('next', 2)
    await vi.advanceTimersByTimeAsync(2 * (100 + A_LOOK))
    expect([asked.length, outcome()]).toEqual([2, ['lost:timeout']])
    // The line is quiet for a moment, and what comes then belongs to nobody.
    bus.push(buildRtu(1, answer(1)))
    await vi.advanceTimersByTimeAsync(119)
    expect([asked.length, received]).toEqual([2, [false]])
    await vi.advanceTimersByTimeAsync(1 + A_LOOK)
    bus.push(buildRtu(1, answer(2)))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['lost:timeout', 'next:0002'])
  })

  it('waits for each slave as long and as often as that one’s product says', async () => {
    const { asked, ask, outcome } = world()
    ask('patient', 1, false, { timeoutMs: 1_000, retries: 0 })
    ask('hasty', 2, false, { timeoutMs: 20, retries: 2 })
    await vi.advanceTimersByTimeAsync(999)
    expect(outcome()).toEqual([])
    await vi.advanceTimersByTimeAsync(1 + A_LOOK)
    expect([asked.length, outcome()]).toEqual([1, ['patient:timeout']])
    await vi.advanceTimersByTimeAsync(120 + A_LOOK + 3 * (20 + A_LOOK))
    expect([asked.length, outcome()]).toEqual([4, ['patient:timeout', 'hasty:timeout']])
  })

  it('finds an answer behind noise, in pieces, and leaves those of other slaves', async () => {
    const { bus, ask, outcome } = world()
    ask('poll', 1)
    bus.push(buildRtu(9, answer(3)))
    const bytes = Buffer.concat([Buffer.from('ff00fe', 'hex'), buildRtu(1, answer(4))])
    bus.push(bytes.subarray(0, 5))
    bus.push(bytes.subarray(5))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['poll:0004'])
  })

  it('finds the answer behind the echo of the question and behind noise that looks like the beginning of one', async () => {
    const { bus, ask, outcome } = world()
    ask('echo', 0)
    bus.push(Buffer.concat([buildRtu(1, read(0)), buildRtu(1, answer(5))]))
    await vi.advanceTimersByTimeAsync(0)
    ask('cut', 0)
    const whole = Buffer.concat([buildRtu(1, read(0)), buildRtu(1, answer(6))])
    bus.push(whole.subarray(0, 3))
    bus.push(whole.subarray(3, 10))
    bus.push(whole.subarray(10))
    await vi.advanceTimersByTimeAsync(0)
    ask('noise', 0)
    bus.push(Buffer.concat([Buffer.from('0103fa00', 'hex'), buildRtu(1, answer(7))]))
    await vi.advanceTimersByTimeAsync(0)
    // Its third byte makes the echo look like an answer with three data bytes.
    inBackground(
      'a question',
      bus.ask(1, Buffer.from([3, 3, 0, 0, 1]), { timeoutMs: 100, retries: 0, pauseMs: 0 }).then(() => undefined),
    )
    bus.push(Buffer.concat([buildRtu(1, Buffer.from([3, 3, 0, 0, 1])), buildRtu(1, answer(8))]))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['echo:0005', 'cut:0006', 'noise:0007'])
    expect(bus.waiting).toBe(0)
  })

  it('Modbus TCP: a server with numbers of its own is understood; a late answer is not', async () => {
    const { bus, ask, outcome } = world('tcp')
    ask('own', 1)
    bus.push(buildTcp(900, 1, answer(3)))
    await vi.advanceTimersByTimeAsync(200)
    ask('again', 1)
    bus.push(buildTcp(901, 1, answer(4)))
    await vi.advanceTimersByTimeAsync(0)
    ask('lost', 1, false, { retries: 0 })
    await vi.advanceTimersByTimeAsync(100 + A_LOOK)
    ask('next', 1)
    bus.push(buildTcp(3, 1, answer(5)))
    bus.push(buildTcp(4, 1, answer(6)))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['own:0003', 'again:0004', 'lost:timeout', 'next:0006'])
  })

  it('Modbus TCP: only the answer to this very question counts', async () => {
    const { bus, ask, outcome } = world('tcp')
    ask('poll', 1)
    bus.push(buildTcp(99, 1, answer(1)))
    bus.push(buildTcp(1, 1, answer(2)))
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['poll:0002'])
  })

  it('an exception is an answer; the end of the connection answers everybody', async () => {
    const { bus, ask, outcome } = world()
    ask('refused', 1)
    bus.push(buildRtu(1, Buffer.from([0x83, 2])))
    await vi.advanceTimersByTimeAsync(0)
    ask('under way', 2)
    ask('waiting', 3)
    bus.close()
    ask('after', 4)
    await vi.advanceTimersByTimeAsync(0)
    expect(outcome()).toEqual(['refused:exception', 'under way:closed', 'waiting:closed', 'after:closed'])
  })
})

describe('the time of the next poll', () => {
  const slave = (failures: number, dueAt = 1_000) =>
    ({ dueAt, failures, polling: { cycleSeconds: 2 } }) as unknown as Slave
  it('keeps the cycle without drift, and skips what is over', () => {
    expect(nextPoll(slave(0), 1_030)).toBe(3_000)
    expect(nextPoll(slave(0), 7_500)).toBe(9_000)
  })
  it('asks a silent slave less and less often, at least once a minute', () => {
    expect([1, 2, 3, 9].map(failures => nextPoll(slave(failures), 1_030))).toEqual([5_000, 9_000, 17_000, 61_000])
  })
})
