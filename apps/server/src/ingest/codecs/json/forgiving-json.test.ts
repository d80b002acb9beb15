import { describe, expect, it } from 'vitest'
import { decodeDeviceJson, decodeJson } from './json.codec.ts'

const read = (text: string | Buffer) => {
  const decoded = decodeDeviceJson(Buffer.from(text as string))
  return decoded.ok ? decoded.value : decoded.reason
}
/** Refused by the thing model as no finite number. */
const BAD = Number.POSITIVE_INFINITY

describe('JSON as devices write it', () => {
  it.each([
    // Python's json.dumps, C's printf, old Visual C, Arduino's print.
    ['{"temperature":21.5,"humidity":NaN}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":nan}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":-nan(ind)}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":Infinity}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":-inf}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":1.#QNAN}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":ovf}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":--}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":21.5,"humidity":}', { temperature: 21.5, humidity: BAD }],
    ['{"temperature":,"humidity":50}', { temperature: BAD, humidity: 50 }],
    ['{"temperature":21.5C,"humidity":50}', { temperature: BAD, humidity: 50 }],
    ['{"a":0x1F,"humidity":50}', { a: BAD, humidity: 50 }],
    ['[{"t":1},{"t":NaN},{"t":3}]', [{ t: 1 }, { t: BAD }, { t: 3 }]],
    ['{"list":[1,,2,NaN]}', { list: [1, BAD, 2, BAD] }],
    // Numbers that can be read in one way only.
    ['{"a":+29.5,"b":.5,"c":5.,"d":-.25,"e":+1e3}', { a: 29.5, b: 0.5, c: 5, d: -0.25, e: 1000 }],
    ['{"code":007,"no":-012.50}', { code: '007', no: '-012.50' }],
    ['{"iccid":89860319457500012345,"t":nan}', { iccid: '89860319457500012345', t: BAD }],
    // str(dict) of Python, objects of a hand-written program.
    [
      "{'temperature': 27.5, 'on': True, 'off': False, 'none': None}",
      { temperature: 27.5, on: true, off: false, none: null },
    ],
    ["{'name': 'the \"cold\" room', 'it': 'it\\'s'}", { name: 'the "cold" room', it: "it's" }],
    ['{temperature:27.5,"温度":1,湿度:2}', { temperature: 27.5, 温度: 1, 湿度: 2 }],
    ['{"temperature":26.5,}', { temperature: 26.5 }],
    ['[{"a":1},]', [{ a: 1 }]],
    ['{"text":"two\nlines\tand a tab","t":1}', { text: 'two\nlines\tand a tab', t: 1 }],
    ['{"path":"C:\\xyz","t":1}', { path: BAD, t: 1 }],
    // Several objects in one message.
    ['{"t":1}{"t":2}', [{ t: 1 }, { t: 2 }]],
    ['{"t":1}\r\n{"t":2}\r\n', [{ t: 1 }, { t: 2 }]],
    ['{"t":1},{"t":2}', [{ t: 1 }, { t: 2 }]],
  ])('reads %s', (text, value) => {
    expect(decodeJson(Buffer.from(text)).ok).toBe(false)
    expect(read(text)).toEqual(value)
  })

  it('marks a text that is not UTF-8 by itself', () => {
    const gbk = Buffer.concat([
      Buffer.from('{"temperature":21.5,"name":"'),
      Buffer.from([0xc0, 0xe4, 0xbf, 0xe2]),
      Buffer.from('"}'),
    ])
    expect(read(gbk)).toEqual({ temperature: 21.5, name: BAD })
  })

  it.each([
    '',
    '{',
    '{"temperature":21.5,"humidity":4',
    '{"temperature":21.5}}',
    '{"temperature":21.5}]',
    '{"temperature" 21.5}',
    '{"temperature":21.5 "humidity":50}',
    '{"temperature":21.5} trailing',
    'temperature=21.5',
    'NaN',
    '[NaN]',
    '[1,]',
    '"x',
    '{"a"}',
    `${'['.repeat(70)}{"a":nan}${']'.repeat(70)}`,
  ])('refuses %s, which does not fit together', text => {
    expect(read(text)).toBe('json_invalid')
  })

  it('ends for whatever bytes come, in linear time', () => {
    for (const piece of ['{"a":', "{'", '{a:[', ',', '"\\', '{"a":1}']) {
      const text = piece.repeat(8_000)
      expect(['json_invalid', 'object']).toContain(typeof read(text) === 'string' ? read(text) : 'object')
    }
  })
})
