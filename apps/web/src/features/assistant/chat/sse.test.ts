import { describe, expect, it } from 'vitest'
import { EventReader, type ServerEvent } from './sse.ts'

const read = (pieces: string[]): ServerEvent[] => {
  const reader = new EventReader()
  return [...pieces.flatMap(piece => reader.push(piece)), ...reader.end()]
}

const STREAM =
  ': ping\n\nid: r1:0\ndata: one\n\nevent: x\r\nid: r1:1\r\ndata:two\r\ndata:  lines\r\n\r\nid: r1:2\rdata: three\r\r\ndata: four\n\ndata: five'
const EVENTS = [
  { id: 'r1:0', data: 'one' },
  { id: 'r1:1', data: 'two\n lines' },
  { id: 'r1:2', data: 'three' },
  { id: 'r1:2', data: 'four' },
  { id: 'r1:2', data: 'five' },
]

describe('an event stream', () => {
  it('is read in one piece', () => {
    expect(read([STREAM])).toEqual(EVENTS)
  })

  it('is read the same wherever it is split, in two and in three', () => {
    for (let i = 0; i <= STREAM.length; i++) {
      expect(read([STREAM.slice(0, i), STREAM.slice(i)]), `split at ${i}`).toEqual(EVENTS)
      for (let j = i; j <= STREAM.length; j++)
        expect(read([STREAM.slice(0, i), STREAM.slice(i, j), STREAM.slice(j)])).toEqual(EVENTS)
    }
  })

  it('is read character by character, with empty pieces between', () => {
    expect(read([...STREAM].flatMap(character => [character, '']))).toEqual(EVENTS)
  })

  it('gives nothing for comments, empty events and fields it does not know', () => {
    expect(read([': ping\n\n: ping\n\n\n\nretry: 10\n\nid: a\n\nnonsense\n\n'])).toEqual([])
  })

  it('does not take an id that holds NUL', () => {
    expect(read(['id: a\n\nid: b\0c\ndata: x\n\n'])).toEqual([{ id: 'a', data: 'x' }])
  })
})
