import { describe, expect, it } from 'vitest'
import { asciiOf, frameOf, logLine, MAX_FRAMES, mergeFrames, textOf } from './frame-list.ts'

const frame = (id: number, hex = '01') => ({
  id: String(id),
  at: '2026-01-01T00:00:00.000Z',
  direction: 'up' as const,
  hex,
  size: hex.length / 2,
  channel: '',
  note: '',
})

describe('raw frames', () => {
  it('are shown once and in order, whichever of snapshot and patch came first', () => {
    expect(mergeFrames([frame(3)], [frame(1), frame(2), frame(3)]).map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(mergeFrames([frame(9)], [frame(10)]).map(({ id }) => id)).toEqual(['9', '10'])
    const many = Array.from({ length: MAX_FRAMES + 5 }, (_, n) => frame(n))
    expect(mergeFrames([], many)).toHaveLength(MAX_FRAMES)
  })

  it('are read as text where they are text', () => {
    expect(textOf('e4b8ad')).toBe('中')
    expect(textOf('0141ff')).toBe('·A·')
    expect(asciiOf('4154')).toBe('AT')
  })

  it('are taken out of a patch only when they are whole', () => {
    expect(frameOf('1', { at: 'x', direction: 'up', hex: '00' })).toMatchObject({ id: '1', size: 1 })
    expect(frameOf('1', { at: 'x', direction: 'sideways', hex: '00' })).toBeNull()
  })

  it('are saved a line each', () => {
    expect(logLine({ ...frame(1, '0103'), note: 'crc', channel: 'raw/up' })).toBe(
      '2026-01-01T00:00:00.000Z <- raw/up [2] 01 03  (crc)\n',
    )
  })
})
