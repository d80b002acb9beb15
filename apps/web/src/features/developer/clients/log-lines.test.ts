import { describe, expect, it } from 'vitest'
import { bodyText, MOST_BODY, MOST_LINES, matching, withLines } from './log-lines.ts'

const line = (title: string, body = '') => ({ at: 1, kind: 'in' as const, title, body, detail: '' })

describe('the log of a client', () => {
  it('keeps the newest lines and no more of a body than is shown', () => {
    const many = withLines(
      [],
      Array.from({ length: MOST_LINES + 5 }, (_, at) => line(`t${at}`)),
    )
    expect(many).toHaveLength(MOST_LINES)
    expect(many[0]!.title).toBe('t5')
    const [long] = withLines([], [line('t', 'x'.repeat(MOST_BODY + 1))])
    expect(long!.body).toHaveLength(MOST_BODY)
    expect(new Set(many.map(({ id }) => id)).size).toBe(MOST_LINES)
  })

  it('is searched in titles and bodies', () => {
    const lines = withLines([], [line('things/a', '{"Temperature":1}'), line('things/b')])
    expect(matching(lines, ' temper ').map(({ title }) => title)).toEqual(['things/a'])
    expect(matching(lines, '')).toHaveLength(2)
  })

  it('shows bytes that are no text as hex', () => {
    expect(bodyText(new TextEncoder().encode('水泵'))).toBe('水泵')
    expect(bodyText(new Uint8Array([0xff, 0x00, 0x10]))).toBe('ff 00 10')
  })
})
