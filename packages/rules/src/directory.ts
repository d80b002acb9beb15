import type { Test } from './compare.ts'
import type { Instance } from './instance.ts'
import type { Snapshot } from './snapshot.ts'
import { Part, type Passes } from './snapshot-pass.ts'

/** A property of a device that some rule looks at. */
export interface Slot {
  value: unknown
  /** Of the value that was judged last; -Infinity: none was. */
  ts: number
  /** Lane time at which anything of it came. */
  at: number
  readonly watches: Watch[]
  readonly alive: Watch[]
}

/** Answer of a watch whose next value is passed on in any case. */
export const UNTOLD = -1

/** A condition of an instance, at the place where what it looks at is kept. */
export class Watch {
  /**
   * What the instance was last told, as long as the same answer once more means nothing to it; else {@link UNTOLD}. Nearly
   * all values change no answer, and those are judged without a look at the instance.
   */
  told = UNTOLD

  constructor(
    readonly instance: Instance,
    readonly place: number,
    /** Of a comparison; null: the condition is of another kind. */
    readonly test: Test | null,
    readonly own: Slot | null,
    readonly other: Slot | null,
  ) {}
}

/** A device that some rule looks at, with those who look. */
export class Device extends Part {
  /** 0 offline, 1 online, 2 not known. */
  presence = 2
  /** Lane time at which anything came. */
  at: number
  readonly slots = new Map<string, Slot>()
  readonly presenceWatches: Watch[] = []
  readonly alive: Watch[] = []
  readonly failed: Watch[] = []
  readonly events = new Map<string, Watch[]>()

  constructor(
    private readonly number: number,
    now: number,
    passes: Passes,
  ) {
    super(passes)
    this.at = now
  }

  state(): Snapshot['devices'][number] {
    const { number: device, presence, at, slots } = this
    return {
      device,
      presence,
      at,
      slots: [...slots].map(([property, slot]) => [
        property,
        slot.value ?? null,
        slot.ts === Number.NEGATIVE_INFINITY ? null : slot.ts,
        slot.at,
      ]),
    }
  }

  /** @param now lane time: before it nothing can have been missed */
  slot(property: string, now: number): Slot {
    this.changes()
    let slot = this.slots.get(property)
    if (!slot) {
      slot = { value: undefined, ts: Number.NEGATIVE_INFINITY, at: now, watches: [], alive: [] }
      this.slots.set(property, slot)
    }
    return slot
  }

  /** Takes out who looked for an instance that is gone. */
  forget(gone: ReadonlySet<Instance>): void {
    const lists = [this.presenceWatches, this.alive, this.failed, ...this.events.values()]
    for (const slot of this.slots.values()) lists.push(slot.watches, slot.alive)
    for (const list of lists) {
      const kept = list.filter(watch => !gone.has(watch.instance))
      if (kept.length < list.length) list.splice(0, list.length, ...kept)
    }
  }

  /** Forgets properties that nobody looks at. @returns whether nobody looks at the device at all */
  prune(): boolean {
    this.changes()
    for (const [property, slot] of this.slots)
      if (slot.watches.length === 0 && slot.alive.length === 0) this.slots.delete(property)
    for (const [identifier, watches] of this.events) if (watches.length === 0) this.events.delete(identifier)
    const isWatched = this.presenceWatches.length + this.alive.length + this.failed.length + this.events.size > 0
    return !isWatched && this.slots.size === 0
  }
}
