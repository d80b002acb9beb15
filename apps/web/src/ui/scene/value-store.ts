import type { PageValue } from '@thingwright/scene'

/** The values of a page: each element listens to its own, and all changes of a moment are shown in one frame. */
export class ValueStore {
  private readonly values = new Map<string, PageValue>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private waiting = new Set<string>()
  private frame = 0
  private versions = new Map<string, number>()

  readonly look = (key: string): PageValue | undefined => this.values.get(key)

  /** A number that goes up whenever one of the keys is different. */
  version(keys: readonly string[]): number {
    return keys.reduce((sum, key) => sum + (this.versions.get(key) ?? 0), 0)
  }

  subscribe(keys: readonly string[], listener: () => void): () => void {
    for (const key of keys) {
      const set = this.listeners.get(key) ?? new Set()
      set.add(listener)
      this.listeners.set(key, set)
    }
    return () => {
      for (const key of keys) this.listeners.get(key)?.delete(listener)
    }
  }

  /** Everything anew: what is not among them is not known any more. */
  replace(values: Readonly<Record<string, PageValue>>): void {
    const gone = [...this.values.keys()].filter(key => !(key in values))
    this.patch({ ...values, ...Object.fromEntries(gone.map(key => [key, null])) })
  }

  patch(patch: Readonly<Record<string, PageValue | null>>): void {
    for (const [key, value] of Object.entries(patch)) {
      if (value === null) this.values.delete(key)
      else this.values.set(key, value)
      this.versions.set(key, (this.versions.get(key) ?? 0) + 1)
      this.waiting.add(key)
    }
    if (this.waiting.size > 0 && this.frame === 0) this.frame = requestAnimationFrame(() => this.flush())
  }

  private flush(): void {
    this.frame = 0
    const keys = this.waiting
    this.waiting = new Set()
    const told = new Set<() => void>()
    for (const key of keys) for (const listener of this.listeners.get(key) ?? []) told.add(listener)
    for (const listener of told) listener()
  }
}
