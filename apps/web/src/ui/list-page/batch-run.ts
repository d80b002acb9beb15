/** One thing of a batch and how it went. */
export interface BatchItem<T> {
  row: T
  state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  error?: unknown
}

export interface BatchProgress<T> {
  items: BatchItem<T>[]
  done: number
  failed: number
  finished: boolean
}

const CONCURRENCY = 4

/**
 * Does something to each row, a few at a time; a failure stops nothing else. Once the signal is aborted no further row
 * is begun; those under way end as they end. Reports after every change.
 */
export async function runBatch<T>(
  rows: readonly T[],
  work: (row: T) => Promise<unknown>,
  onProgress: (progress: BatchProgress<T>) => void,
  signal: AbortSignal,
  concurrency = CONCURRENCY,
): Promise<BatchProgress<T>> {
  const items: BatchItem<T>[] = rows.map(row => ({ row, state: 'waiting' }))
  const report = (): BatchProgress<T> => {
    const progress = {
      items: [...items],
      done: items.filter(item => item.state === 'done').length,
      failed: items.filter(item => item.state === 'failed').length,
      finished: items.every(item => item.state !== 'waiting' && item.state !== 'running'),
    }
    onProgress(progress)
    return progress
  }
  let next = 0
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const at = next++
      const { row } = items[at]!
      items[at] = { row, state: 'running' }
      report()
      try {
        await work(row)
        items[at] = { row, state: 'done' }
      } catch (error) {
        items[at] = { row, state: 'failed', error }
      }
      report()
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, worker))
  items.forEach((item, at) => {
    if (item.state === 'waiting') items[at] = { row: item.row, state: 'cancelled' }
  })
  return report()
}
