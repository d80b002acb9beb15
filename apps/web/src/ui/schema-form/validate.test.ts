import { describe, expect, it } from 'vitest'
import { type Field, Unreadable } from './field.ts'
import { outgoing, serverComplaints, validateField, validateFields } from './validate.ts'

const complaint = (field: Record<string, unknown>, value: unknown) => {
  const found = validateField({ key: 'f', label: 'f', ...field } as unknown as Field, value, 'f')
  return Object.fromEntries([...found].map(([path, c]) => [path, 'key' in c ? c.key : c.text]))
}

describe('a field', () => {
  it('that is required takes no blanks', () => {
    for (const value of [undefined, null, '', '   ', []])
      expect(complaint({ kind: 'string', required: true }, value)).toEqual({ f: 'required' })
    expect(complaint({ kind: 'string' }, '')).toEqual({})
    expect(complaint({ kind: 'number', required: true }, 0)).toEqual({})
    expect(complaint({ kind: 'bool', required: true }, undefined)).toEqual({})
  })

  it('with a shape is taken as it was pasted: outer spaces, full-width signs, groups', () => {
    const number = { key: 'no', label: 'no', kind: 'string', pattern: /^[A-Z0-9-]{4,20}$/ } as Field
    for (const [typed, sent] of [
      [' SN-001 ', 'SN-001'],
      ['ＳＮ－００１', 'SN-001'],
      ['8986 04B7 1922 7027 4525\u200b', '898604B7192270274525'],
      ['\u00a0SN-001\t', 'SN-001'],
    ])
      expect([complaint(number as never, typed), outgoing([number], { no: typed })]).toEqual([{}, { no: sent }])
    expect(complaint(number as never, 'sn 001')).toEqual({ f: 'pattern' })
    // Words and passwords stay as they are.
    const name = { key: 'no', label: 'no', kind: 'string' } as Field
    expect(outgoing([name], { no: ' 一号　泵Ａ ' })).toEqual({ no: '一号　泵Ａ' })
    const secret = { ...number, keepSpaces: true } as Field
    expect(complaint(secret as never, ' SN-001')).toEqual({ f: 'pattern' })
  })

  it.each<[string, Record<string, unknown>, unknown, string | null]>([
    ['short text', { kind: 'string', minLength: 3 }, 'ab', 'minLength'],
    ['long text', { kind: 'string', maxLength: 3 }, 'abcd', 'maxLength'],
    ['a pattern', { kind: 'string', pattern: /^[a-z]+$/ }, 'A1', 'pattern'],
    ['NUL', { kind: 'string' }, 'a\u0000b', 'notStorable'],
    ['half a surrogate pair', { kind: 'string' }, 'a\ud800', 'notStorable'],
    ['an emoji', { kind: 'string' }, '泵😀', null],
    ['below the minimum', { kind: 'number', min: 0 }, -0.5, 'min'],
    ['above the maximum', { kind: 'number', max: 10 }, 10.1, 'max'],
    ['the bounds themselves', { kind: 'number', min: 0, max: 10 }, 10, null],
    ['a fraction', { kind: 'number', integer: true }, 1.5, 'integer'],
    ['half-typed number', { kind: 'number' }, new Unreadable('1.2.3'), 'invalid.number'],
    ['not a number', { kind: 'number' }, Number.NaN, 'invalid.number'],
    ['int64', { kind: 'int64' }, '9223372036854775807', null],
    ['int64 and one', { kind: 'int64' }, '9223372036854775808', 'invalid.int64'],
    ['int64 in words', { kind: 'int64' }, '12a', 'invalid.int64'],
    ['int64 beyond 2^53 against its bound', { kind: 'int64', max: '9007199254740993' }, '9007199254740994', 'max'],
    ['an unknown choice', { kind: 'enum', options: [{ value: 1, label: '1' }] }, 2, 'choice'],
    ['a choice of another type', { kind: 'enum', options: [{ value: 1, label: '1' }] }, '1', 'choice'],
    ['hex', { kind: 'bytes' }, '0a FF', null],
    ['half a byte', { kind: 'bytes' }, '0a F', 'invalid.bytes'],
    ['too many bytes', { kind: 'bytes', maxLength: 1 }, '0aff', 'maxBytes'],
    ['a colour', { kind: 'color' }, '#12ab9F', null],
    ['a colour in words', { kind: 'color' }, 'red', 'invalid.color'],
    ['an address', { kind: 'file' }, 'https://example.com/a.png', null],
    ['a path', { kind: 'file' }, '/api/v1/media/1', null],
    ['a foreign scheme', { kind: 'file' }, 'javascript:alert(1)', 'invalid.file'],
    ['a path of another host', { kind: 'file' }, '//evil.example/a', 'invalid.file'],
    ['too many tags', { kind: 'tags', maxItems: 1 }, ['a', 'b'], 'maxItems'],
    ['malformed JSON', { kind: 'json' }, new Unreadable('{'), 'invalid.json'],
    ['a broken second', { kind: 'duration' }, 1.5, 'integer'],
  ])('says what is wrong: %s', (_, field, value, expected) => {
    expect(complaint(field, value)).toEqual(expected === null ? {} : { f: expected })
  })

  it('of a place names the part that is wrong', () => {
    expect(complaint({ kind: 'geo' }, { lng: 181, lat: undefined })).toEqual({
      'f.lng': 'between',
      'f.lat': 'required',
    })
    expect(complaint({ kind: 'geo' }, { lng: -180, lat: 90 })).toEqual({})
  })

  it('inside lists and objects is named by its path', () => {
    const field = {
      kind: 'array',
      element: { kind: 'object', key: '', label: '', fields: [{ kind: 'number', key: 'n', label: 'n', max: 5 }] },
    }
    expect(complaint(field, [{ n: 1 }, { n: 9 }])).toEqual({ 'f[1].n': 'max' })
  })

  it('of its own rule is asked only when the usual ones hold', () => {
    const field = { kind: 'string', maxLength: 2, check: () => 'taken' }
    expect(complaint(field, 'abc')).toEqual({ f: 'maxLength' })
    expect(complaint(field, 'ab')).toEqual({ f: 'taken' })
  })
})

describe('a form', () => {
  const fields: Field[] = [
    { kind: 'string', key: 'name', label: 'n', required: true },
    { kind: 'string', key: 'why', label: 'w', required: true, visible: values => values.off === true },
    { kind: 'bool', key: 'off', label: 'o' },
  ]

  it('does not check what is hidden, and does not send it', () => {
    expect([...validateFields(fields, { name: 'a', why: '' }).keys()]).toEqual([])
    expect([...validateFields(fields, { name: 'a', why: '', off: true }).keys()]).toEqual(['why'])
    expect(outgoing(fields, { name: ' a ', why: 'x', off: false })).toEqual({ name: 'a', off: false })
  })

  it('clears with null what had a value', () => {
    const optional: Field[] = [{ kind: 'number', key: 'delay', label: 'd' }]
    expect(outgoing(optional, { delay: undefined }, { delay: 60 })).toEqual({ delay: null })
    expect(outgoing(optional, { delay: undefined }, { delay: null })).toEqual({})
    expect(outgoing(optional, { delay: 0 }, { delay: 60 })).toEqual({ delay: 0 })
    const text: Field[] = [{ kind: 'string', key: 'note', label: 'n', cleared: '' }]
    expect(outgoing(text, { note: ' ' }, { note: 'old' })).toEqual({ note: '' })
  })

  it('sends whole numbers as numbers while they are exact, beyond as text', () => {
    const big: Field[] = [{ kind: 'int64', key: 'n', label: 'n' }]
    expect(outgoing(big, { n: '42' })).toEqual({ n: 42 })
    expect(outgoing(big, { n: '9007199254740993' })).toEqual({ n: '9007199254740993' })
  })

  it('puts the server’s complaints to its fields, and the rest above', () => {
    const given = {
      name: { message: 'taken' },
      '/off': { message: 'no' },
      'body.why': { message: 'short' },
      other: { message: 'odd' },
    }
    const { complaints, rest } = serverComplaints(given, fields)
    expect(Object.fromEntries(complaints)).toEqual({
      name: { text: 'taken' },
      off: { text: 'no' },
      why: { text: 'short' },
    })
    expect(rest).toEqual(['other: odd'])
  })

  it('understands both ways of writing a path into a list', () => {
    const list: Field[] = [{ kind: 'array', key: 'items', label: 'i', element: { kind: 'string', key: '', label: '' } }]
    expect([...serverComplaints({ '/items/2/name': { message: 'x' } }, list).complaints.keys()]).toEqual([
      'items[2].name',
    ])
    expect([...serverComplaints({ 'params.items[0]': { message: 'x' } }, list, 'params').complaints.keys()]).toEqual([
      'items[0]',
    ])
  })
})
