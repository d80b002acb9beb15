import { inBackground } from '../../lib/background.ts'
export interface BatchLoaderOptions<K, V> {
  /** Loads many keys at once; a key absent from the answer does not exist. */
  load(keys: readonly K[]): Promise<Map<K, V>>
  /** How long the first asker waits for company, ms. */
  windowMs: number
  maxKeys: number
  /** Queries under way at the same time. */
  maxParallel: number
}

interface Deferred<T> {
  promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/**
 * Collects look-ups of a few milliseconds into one query, so that 5,000 devices that come back after a restart cost ten
 * queries and not 5,000. The same key asked for twice is loaded once.
 */
export class BatchLoader<K, V> {
  private waiting = new Map<K, Deferred<V | undefined>>()
  private timer: NodeJS.Timeout | null = null
  private running = 0

  constructor(private readonly options: BatchLoaderOptions<K, V>) {}

  /** @returns undefined when there is no such thing; rejects when the query failed */
  get(key: K): Promise<V | undefined> {
    const known = this.waiting.get(key)
    if (known) return known.promise
    const entry = deferred<V | undefined>()
    this.waiting.set(key, entry)
    if (this.waiting.size >= this.options.maxKeys) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), this.options.windowMs)
    return entry.promise
  }

  private flush(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    while (this.waiting.size > 0 && this.running < this.options.maxParallel) {
      const batch = this.take()
      this.running++
      inBackground(
        'loading several at once',
        this.options
          .load([...batch.keys()])
          .then(
            found => {
              for (const [key, entry] of batch) entry.resolve(found.get(key))
            },
            error => {
              for (const entry of batch.values()) entry.reject(error)
            },
          )
          .finally(() => {
            this.running--
            if (this.waiting.size > 0) this.flush()
          }),
      )
    }
  }

  private take(): typeof this.waiting {
    if (this.waiting.size <= this.options.maxKeys) {
      const all = this.waiting
      this.waiting = new Map()
      return all
    }
    const some: typeof this.waiting = new Map()
    for (const [key, entry] of this.waiting) {
      some.set(key, entry)
      this.waiting.delete(key)
      if (some.size >= this.options.maxKeys) break
    }
    return some
  }
}
