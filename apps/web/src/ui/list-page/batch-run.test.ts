import { describe, expect, it } from 'vitest'
import { type BatchProgress, runBatch } from './batch-run.ts'

const rows = Array.from({ length: 9 }, (_, i) => i)
const live = () => new AbortController().signal

describe('a batch', () => {
  it('does the rest when some fail, and keeps each reason', async () => {
    const end = await runBatch(
      rows,
      async row => {
        if (row % 4 === 1) throw new Error(`no ${row}`)
      },
      () => {},
      live(),
    )
    expect(end).toMatchObject({ done: 7, failed: 2, finished: true })
    expect(end.items.filter(item => item.state === 'failed').map(item => String(item.error))).toEqual([
      'Error: no 1',
      'Error: no 5',
    ])
  })

  it('works on a few at a time only', async () => {
    let now = 0
    let most = 0
    await runBatch(
      rows,
      async () => {
        most = Math.max(most, ++now)
        await Promise.resolve()
        now--
      },
      () => {},
      live(),
      3,
    )
    expect(most).toBe(3)
  })

  it('begins nothing more once cancelled and says what was left', async () => {
    const abort = new AbortController()
    const seen: BatchProgress<number>[] = []
    const end = await runBatch(
      rows,
      async row => {
        if (row === 3) abort.abort()
      },
      progress => seen.push(progress),
      abort.signal,
      1,
    )
    expect(end.done).toBe(4)
    expect(end.items.filter(item => item.state === 'cancelled')).toHaveLength(5)
    expect(end.finished).toBe(true)
    expect(seen.at(0)?.finished).toBe(false)
  })

  it('of nothing is finished at once', async () => {
    expect(
      await runBatch(
        [],
        async () => {},
        () => {},
        live(),
      ),
    ).toMatchObject({ finished: true, done: 0 })
  })
})
