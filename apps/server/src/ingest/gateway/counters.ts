/** Counters by name, since the start of the process. */
export class Counters {
  private readonly values: Record<string, number> = Object.create(null)

  add(name: string, by = 1): void {
    this.values[name] = (this.values[name] ?? 0) + by
  }

  snapshot(): Record<string, number> {
    return { ...this.values }
  }
}
