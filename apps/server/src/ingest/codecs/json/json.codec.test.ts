import { describe, expect, it } from 'vitest'
import { decodeJson, MAX_PAYLOAD_BYTES } from './json.codec.ts'

/** Texts and verdicts in the manner of JSONTestSuite: y must be taken, n must be refused. */
const Y = [
  '[]',
  '{}',
  'null',
  'true',
  '0',
  '-0',
  '""',
  ' [] ',
  '[1e+2]',
  '[1E22]',
  '[123.456e78]',
  '[-0.5]',
  '{"a":{"b":[]}}',
  '{"":0}',
  '{"a":1,"a":2}',
  '["\\u0060\\u012a\\u12AB"]',
  '["\\uD801\\udc37"]',
  '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
  '["\u2028"]',
  '["€𝄞"]',
  '["\u007f"]',
  '\t[1]\r\n',
  '[null, 1, "1", {}]',
  '{"__proto__":1}',
]
const N = [
  '',
  ' ',
  '[',
  ']',
  '{',
  '}',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[1 2]',
  '["a" "b"]',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}}',
  '[1]x',
  '[-]',
  '[+1]',
  '[.5]',
  '[1.]',
  '[01]',
  '[-01]',
  '[0x1]',
  '[1e]',
  '[1e+]',
  '[NaN]',
  '[Infinity]',
  '[-Infinity]',
  '[nul]',
  '[True]',
  '["\\x00"]',
  '["\\u00A"]',
  '["\\uD8"',
  '["\n"]',
  '["\t"]',
  '["\u0000"]',
  '\u0000',
  '[\u00a01]',
  '/**/[]',
  '[1]//',
  '["a',
  '"',
  '{"a":"b"]',
  '[1}',
  '<null>',
  '[\u000b1]',
  'undefined',
]

describe('a JSON payload', () => {
  it.each(['\ufeff{}', '{}\0', '{}\0\0\r\n ', '\0{}'])('is taken without what fills it: %j', text => {
    expect(decodeJson(Buffer.from(text))).toEqual({ ok: true, value: {}, text: '{}' })
  })

  it.each(Y)('%s is taken', text => {
    expect(decodeJson(Buffer.from(text))).toMatchObject({ ok: true, text: text.trim() })
  })

  it.each(N)('%s is refused', text => {
    expect(decodeJson(Buffer.from(text))).toMatchObject({ ok: false, reason: 'json_invalid' })
  })

  it('of 64 KB is taken, of one byte more refused without being read', () => {
    const text = (bytes: number) => Buffer.from(`"${'x'.repeat(bytes - 2)}"`)
    expect(decodeJson(text(MAX_PAYLOAD_BYTES)).ok).toBe(true)
    expect(decodeJson(text(MAX_PAYLOAD_BYTES + 1))).toMatchObject({ ok: false, reason: 'too_large' })
  })

  it('nested as deep as 64 KB allow ends nobody', () => {
    expect(decodeJson(Buffer.from('['.repeat(32_768) + ']'.repeat(32_768))).ok).toBe(true)
    expect(decodeJson(Buffer.from('{"a":'.repeat(10_000)))).toMatchObject({ ok: false })
  })
})
