import { describe, expect, it } from 'vitest'
import { phasesOf } from './phase-marks.ts'

const marks = (state: Parameters<typeof phasesOf>[0]['state'], notifiedAt: string | null = null) =>
  phasesOf({ state, notifiedAt }).map(phase => `${phase.state}:${phase.mark}`)

describe('the way of one update', () => {
  it('has what is behind it, where it is, and what is to come', () => {
    expect(marks('downloading')).toEqual([
      'pending:done',
      'notified:done',
      'downloading:now',
      'downloaded:open',
      'verified:open',
      'installing:open',
      'succeeded:open',
    ])
    expect(marks('to_confirm').slice(0, 3)).toEqual(['to_confirm:now', 'pending:open', 'notified:open'])
    expect(marks('succeeded').every(mark => mark.endsWith(':done'))).toBe(true)
  })

  it('ends where it ended, claiming no phase that nobody reported', () => {
    expect(marks('failed', '2026-11-22T00:00:00.000Z')).toEqual(['pending:done', 'notified:done', 'failed:bad'])
    expect(marks('cancelled')).toEqual(['pending:done', 'cancelled:bad'])
  })
})
