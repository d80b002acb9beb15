import { describe, expect, it } from 'vitest'
import { createThoughtFilter } from './thought-filter.ts'

const CASES: [string, string, string][] = [
  ['a lone end', 'I look it up.\nDone.</think>\n\nThree pumps.', 'Three pumps.'],
  ['a lone end of the longer name', 'Hm.</thinking>Three.', 'Three.'],
  ['thinking', '<thinking>\nHm <b>.\n</thinking>\n\nThree.', 'Three.'],
  ['capitals and blanks', ' \n<THINK>Hm</THINK> Three.', 'Three.'],
  ['reasoning', '<reasoning>Hm</reasoning>\nThree.', 'Three.'],
  ['an empty thought', '<think>\n\n</think>\n\nThree.', 'Three.'],
  ['thoughts between', 'I look.\n<thinking>\nHm\n</thinking>\nThree.', 'I look.\nThree.'],
  ['two thoughts', '<think>a</think>\n<think>b</think>\nThree.', 'Three.'],
  ['a thought without an end', '<think>Hm', ''],
  ['thoughts between without an end', 'I look.\n<think>Hm', 'I look.\n'],
  ['nothing of the kind', 'Use <b> and <thick>.\n<th', 'Use <b> and <thick>.\n<th'],
  ['a tag that is spoken of', 'Models write <think> first.', 'Models write <think> first.'],
  ['a tag in code', 'See:\n```\n<think>Hm</thinks>\n```\nSo.', 'See:\n```\n<think>Hm</thinks>\n```\nSo.'],
  ['blank lines at the end', 'Three.\n\n', 'Three.\n\n'],
]
const WAIT = { characters: 2_000, ms: 60_000 }

describe('what a model says', () => {
  it.each(CASES)('is shown without %s, in pieces of any length', (_, text, shown) => {
    for (const size of [1, 2, 3, 7, text.length]) {
      const filter = createThoughtFilter(WAIT)
      let said = ''
      for (let at = 0; at < text.length; at += size) said += filter.take(text.slice(at, at + size))
      expect(said + filter.end()).toBe(shown)
    }
  })

  it('is kept back for a while only, by its length and by time', () => {
    const long = createThoughtFilter({ characters: 10, ms: 60_000 })
    expect(long.take('0123456789')).toBe('')
    expect(long.take('0')).toBe('01234567890')
    expect(long.take('1')).toBe('1')
    let now = 0
    const slow = createThoughtFilter({ characters: 1_000, ms: 500 }, () => now)
    expect(slow.dueIn()).toBeNull()
    expect(slow.take('a')).toBe('')
    expect(slow.dueIn()).toBe(501)
    now = 501
    const quiet = createThoughtFilter({ characters: 1_000, ms: 500 }, () => now)
    quiet.take('Nothing follows.')
    now += 501
    expect([quiet.take(''), quiet.dueIn()]).toEqual(['Nothing follows.', null])
    now = 501
    expect(slow.take('b')).toBe('ab')
    // Seen too late, and told.
    expect(slow.lone).toBe(false)
    slow.take('</th')
    slow.take('ink>c')
    expect(slow.lone).toBe(true)
  })
})
