/** A map of bounded size: the entry not used for the longest time goes first. */
export class Lru<K, V> {
  private readonly entries = new Map<K, V>()

  constructor(
    private readonly limit: number,
    private readonly onEvict?: (key: K, value: V) => void,
  ) {}

  get size(): number {
    return this.entries.size
  }

  /** Looks a value up and marks it as used. */
  get(key: K): V | undefined {
    const value = this.entries.get(key)
    if (value === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, value)
    return value
  }

  /** Looks a value up and leaves the order as it is. */
  peek(key: K): V | undefined {
    return this.entries.get(key)
  }

  set(key: K, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size <= this.limit) return
    const oldest = this.entries.entries().next().value
    if (!oldest) return
    this.entries.delete(oldest[0])
    this.onEvict?.(oldest[0], oldest[1])
  }

  delete(key: K): void {
    this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }

  values(): IterableIterator<V> {
    return this.entries.values()
  }
}
