import type { Framing, LinkSettings } from '@thingwright/contracts/links.contract'
import { describe, expect, it } from 'vitest'
import fc from '../testing/fast-check.ts'
import { type CutKind, createFramer } from './framer.ts'

type Settings = Parameters<typeof createFramer>[0]

const settings = (framing: Framing, over: Partial<LinkSettings> = {}): Settings => ({
  framing,
  heartbeat: null,
  maxFrameBytes: 32,
  idleGapMs: null,
  ...over,
})
const line: Framing = { kind: 'delimiter', delimiter: { encoding: 'text', value: '\\n' } }
const star: Framing = { kind: 'delimiter', delimiter: { encoding: 'hex', value: '2A 2A' }, keep: true }
const field: Framing = { kind: 'length', offset: 1, bytes: 2, endian: 'big', adjustment: 1 }

function cuts(of: Settings, chunks: readonly Buffer[], flush = true): [CutKind, string][] {
  const framer = createFramer(of)
  const seen: [CutKind, string][] = []
  for (const chunk of chunks) framer.push(chunk, (kind, bytes) => seen.push([kind, bytes.toString('latin1')]))
  if (flush) framer.flush((kind, bytes) => seen.push([kind, bytes.toString('latin1')]))
  return seen
}
const all = (of: Settings, text: string) => cuts(of, [Buffer.from(text, 'latin1')])

describe('cutting a stream into JSON values', () => {
  const json = settings({ kind: 'json' }, { maxFrameBytes: 64 })
  const frames = (text: string) => all(json, text)

  it.each([
    ['{"a":1}{"a":2}', ['{"a":1}', '{"a":2}']],
    ['{\n  "a": {\n    "b": [1, 2]\n  }\n}\n[1]', ['{\n  "a": {\n    "b": [1, 2]\n  }\n}', '[1]']],
    ['{"a":"}{\\"]"}\0\0\r\n {"b":2}\0', ['{"a":"}{\\"]"}', '{"b":2}']],
    ['\xef\xbb\xbf{}', ['{}']],
    ['hello\r\n{"a":1}', ['hello', '{"a":1}']],
    ['123', ['123']],
  ])('%j', (text, expected) => {
    expect(frames(text)).toEqual(expected.map(frame => ['frame', frame]))
    const bytes = [...Buffer.from(text, 'latin1')].map(byte => Buffer.from([byte]))
    expect(cuts(json, bytes)).toEqual(expected.map(frame => ['frame', frame]))
  })

  it('gives up what silence cut off and what is too long, and goes on behind it', () => {
    expect(frames('{"a":1')).toEqual([['incomplete', '{"a":1']])
    const long = `{"a":"${'x'.repeat(100)}"}`
    expect(frames(`${long}{"b":1}`)).toEqual([
      ['too_long', long.slice(0, 64)],
      ['frame', '{"b":1}'],
    ])
    const pieces = [long.slice(0, 70), long.slice(70), '{"b":1}'].map(text => Buffer.from(text))
    expect(cuts(json, pieces)).toEqual([
      ['too_long', long.slice(0, 64)],
      ['frame', '{"b":1}'],
    ])
  })
})

describe('a register packet that comes again', () => {
  const cut = (of: Settings, packet: string, chunks: string[]) => {
    const framer = createFramer(of, Buffer.from(packet))
    const seen: string[] = []
    const on = (kind: CutKind, bytes: Buffer) => void seen.push(`${kind} ${bytes}`)
    for (const chunk of chunks) framer.push(Buffer.from(chunk), on)
    framer.flush(on)
    return seen
  }

  it('is no data, alone', () => {
    expect(cut(settings(line), 'IMEI1\r', ['IMEI1\r\n21.5\n'])).toEqual(['registration IMEI1', 'frame 21.5'])
    expect(cut(settings({ kind: 'none' }), 'IMEI1', ['IMEI1'])).toEqual(['registration IMEI1'])
  })

  it('before every frame is taken off where the product says so, and only there', () => {
    const each = { register: { kind: 'text', everyFrame: true } as const }
    expect(cut(settings({ kind: 'none' }, each), 'IMEI1', ['IMEI1#21.5', 'IM', 'EI1#22'])).toEqual([
      'registration IMEI1',
      'frame #21.5',
      'registration IMEI1',
      'frame #22',
    ])
    expect(cut(settings({ kind: 'json' }, each), 'IMEI1', ['IMEI1{"a":1}IMEI1{"a":2}'])).toEqual([
      'registration IMEI1',
      'frame {"a":1}',
      'registration IMEI1',
      'frame {"a":2}',
    ])
    expect(cut(settings({ kind: 'none' }), 'IMEI1', ['IMEI1#21.5'])).toEqual(['frame IMEI1#21.5'])
  })
})

describe('cutting a stream into frames', () => {
  it('lines end with LF or CR LF, blank ones say nothing, and silence ends the last', () =>
    expect(all(settings(line), 'a\r\nbc\n\n\r\nd')).toEqual([
      ['frame', 'a'],
      ['frame', 'bc'],
      ['frame', 'd'],
    ]))

  it('a delimiter can be any bytes and can stay', () =>
    expect(all(settings(star), '#1**#2**')).toEqual([
      ['frame', '#1**'],
      ['frame', '#2**'],
    ]))

  it('fixed length: what silence cuts short is told apart', () =>
    expect(all(settings({ kind: 'fixed', length: 3 }), 'abcdefg')).toEqual([
      ['frame', 'abc'],
      ['frame', 'def'],
      ['incomplete', 'g'],
    ]))

  it('a length field with its offset, endian and adjustment', () => {
    expect(all(settings(field), 'h\0\x02abCh\0\x00C')).toEqual([
      ['frame', 'h\0\x02abC'],
      ['frame', 'h\0\0C'],
    ])
    expect(all(settings({ ...field, endian: 'little' }), 'h\x02\0abC')).toEqual([['frame', 'h\x02\0abC']])
  })

  it('a length that cannot be breaks the stream: nothing after it is trusted', () => {
    expect(all(settings(field), 'h\xff\xffabcdefh\0\0C')).toEqual([['broken', 'h\xff\xff']])
    expect(all(settings({ ...field, adjustment: -5 }), 'h\0\0C')).toEqual([['broken', 'h\0\0']])
  })

  it('no framing: what arrives together, or up to the silence', () => {
    const parts = [Buffer.from('ab'), Buffer.from('cd')]
    expect(cuts(settings({ kind: 'none' }), parts)).toEqual([
      ['frame', 'ab'],
      ['frame', 'cd'],
    ])
    expect(cuts(settings({ kind: 'none' }, { idleGapMs: 50 }), parts)).toEqual([['frame', 'abcd']])
  })

  it('an overlong frame is told once, with its beginning, and the next one is read again', () =>
    expect(all(settings(line, { maxFrameBytes: 16 }), `${'x'.repeat(10_000)}\nok\n`)).toEqual([
      ['too_long', 'x'.repeat(16)],
      ['frame', 'ok'],
    ]))

  it('a heartbeat stands between frames, with or without their ending', () => {
    const beating = settings(line, { heartbeat: { packet: { encoding: 'text', value: 'PING' } } })
    expect(all(beating, 'PINGa\nPING\r\nb\nPI')).toEqual([
      ['heartbeat', 'PING'],
      ['frame', 'a'],
      ['heartbeat', 'PING'],
      ['frame', 'b'],
      ['frame', 'PI'],
    ])
  })

  const framings: Settings[] = [
    settings(line, { maxFrameBytes: 16 }),
    settings(star, { maxFrameBytes: 16 }),
    settings({ kind: 'fixed', length: 5 }),
    settings(field),
    settings({ kind: 'none' }, { idleGapMs: 50 }),
  ].flatMap(one => [one, { ...one, heartbeat: { packet: { encoding: 'hex', value: '2A01' } } } as Settings])

  it('however the stream is cut on its way, the frames are the same, and no bytes make it throw', () => {
    // Few different bytes, so that delimiters, lengths and heartbeats really occur.
    const stream = fc.array(fc.constantFrom(0, 0, 1, 2, 10, 13, 42, 42, 65, 200), { maxLength: 120 })
    fc.assert(
      fc.property(
        fc.constantFrom(...framings),
        stream,
        fc.array(fc.integer({ min: 1, max: 9 })),
        (of, bytes, lengths) => {
          const whole = Buffer.from(bytes)
          const chunks: Buffer[] = []
          let at = 0
          for (const length of lengths) {
            if (at >= whole.length) break
            chunks.push(whole.subarray(at, at + length))
            at += length
          }
          if (at < whole.length) chunks.push(whole.subarray(at))
          expect(cuts(of, chunks)).toEqual(cuts(of, [whole]))
        },
      ),
      { numRuns: 600 },
    )
  })

  it('keeps no view of the chunk it was handed', () => {
    const chunk = Buffer.from('ab\ncd')
    const framer = createFramer(settings(line))
    const seen: Buffer[] = []
    framer.push(chunk, (_, bytes) => seen.push(bytes))
    chunk.fill(0)
    framer.flush((_, bytes) => seen.push(bytes))
    expect(seen.map(String)).toEqual(['ab', 'cd'])
  })
})
