import { describe, expect, it } from 'vitest'
import { FragmentReader, type ReplyPart } from './fragments.ts'

const read = (events: string[]): ReplyPart[] => {
  const reader = new FragmentReader()
  return events.map(event => reader.push(event)).filter(part => part !== null)
}
const text = (data: string) => ({ kind: 'text', text: data })

describe('fragments of a reply', () => {
  it('are texts, cards and errors', () => {
    const card = { kind: 'links', title: 'L', items: [] }
    expect(
      read([
        '["text",{"data":"a"}]',
        JSON.stringify(['card', { data: '', card }]),
        '["error",{"data":"","code":"x.y","message":"why"}]',
        '["error",{"data":"","code":"x.y"}]',
      ]),
    ).toEqual([
      text('a'),
      { kind: 'card', card },
      { kind: 'error', code: 'x.y', message: 'why' },
      { kind: 'error', code: 'x.y', message: 'x.y' },
    ])
  })

  it('come from other programs too, whatever stands in the first place', () => {
    expect(read(['[1,{"data":"a"}]', '[null,{"data":"b"}]', '["message",{"data":"c","more":1}]'])).toEqual(
      ['a', 'b', 'c'].map(text),
    )
  })

  it('that are split anywhere are put together again, in two and in three', () => {
    const whole = JSON.stringify(['text', { data: '温度 ["x",{"data":"y"}] 23.5\n' }])
    const after = '["text",{"data":"after"}]'
    const expected = [text('温度 ["x",{"data":"y"}] 23.5\n'), text('after')]
    for (let i = 1; i < whole.length; i++) {
      expect(read([whole.slice(0, i), whole.slice(i), after]), `split at ${i}`).toEqual(expected)
      for (let j = i + 1; j < whole.length; j++)
        expect(read([whole.slice(0, i), whole.slice(i, j), whole.slice(j), after])).toEqual(expected)
    }
  })

  it('that will never parse do not swallow what follows', () => {
    expect(read(['{"broken', '["text",{"data":"a"}]', 'tail', '["text",{"data":"b"}]'])).toEqual([text('a'), text('b')])
  })

  it('wait for no more than 64 KB', () => {
    const reader = new FragmentReader()
    expect(reader.push(`["text",{"data":"${'x'.repeat(64 * 1024)}`)).toBeNull()
    // What would have completed it comes too late.
    expect(reader.push('"}]')).toBeNull()
    expect(reader.push('["text",{"data":"a"}]')).toEqual(text('a'))
    expect(reader.push(`["text",{"data":"${'x'.repeat(60 * 1024)}`)).toBeNull()
    expect(reader.push('"}]')).toEqual(text('x'.repeat(60 * 1024)))
  })

  it('without a text say nothing', () => {
    expect(
      read(['[]', '["text"]', '["text",null]', '["text",{"data":7}]', '["card",{"data":""}]', '3', '"x"']),
    ).toEqual([text('')])
  })
})
