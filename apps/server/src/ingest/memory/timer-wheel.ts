/** Slots of one second: entries wait in the slot of their due time and are looked at once, when it has come. */
export class TimerWheel<T> {
  private readonly slots = new Map<number, T[]>()
  private next: number

  constructor(now: number) {
    this.next = Math.floor(now / 1000)
  }

  /** Adds an entry; a time that has passed comes with the next `due`. @param at ms on the clock handed to `due` */
  add(entry: T, at: number): void {
    const slot = Math.max(Math.ceil(at / 1000), this.next)
    const entries = this.slots.get(slot)
    if (entries) entries.push(entry)
    else this.slots.set(slot, [entry])
  }

  /** Takes out every entry whose slot has come. */
  due(now: number): T[] {
    const last = Math.floor(now / 1000)
    const out: T[] = []
    if (last < this.next) return out
    if (last - this.next > this.slots.size) {
      // A long pause: walk the slots there are instead of the seconds that passed.
      for (const [slot, entries] of this.slots) {
        if (slot > last) continue
        for (const entry of entries) out.push(entry)
        this.slots.delete(slot)
      }
    } else {
      for (let slot = this.next; slot <= last; slot++) {
        const entries = this.slots.get(slot)
        if (!entries) continue
        for (const entry of entries) out.push(entry)
        this.slots.delete(slot)
      }
    }
    this.next = last + 1
    return out
  }
}
