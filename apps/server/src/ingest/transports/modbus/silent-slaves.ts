import { inBackground } from '../../../lib/background.ts'
import type { Slave } from './slave.ts'

export interface SilentSlavesOptions {
  /** The clock that never jumps, ms. */
  now(): number
  /** Calls back once, at that time of the same clock. */
  at(time: number, callback: () => void): void
  poll(slave: Slave): Promise<void>
}

/** Of every hour of a bus, those that do not answer get a tenth: after one unanswered poll this many times its length passes. */
const REST = 9

/**
 * Takes turns among the slaves of a bus that are not known to answer: one at a time, and after each that was silent
 * again a pause for the others, so that the living ones keep their cycle however many are dead. A slave that was never
 * asked yet goes first and does not wait for that pause; one that answers leaves the row.
 */
export class SilentSlaves {
  private row: Slave[] = []
  private running = false
  private readonly woken = new Set<number>()
  private until = 0

  constructor(private readonly options: SilentSlavesOptions) {}

  /** The slave wants to be asked; asking again before its turn changes nothing. */
  add(slave: Slave): void {
    if (slave.queued) return
    slave.queued = true
    this.row.push(slave)
    this.next()
  }

  /** A poll cost the bus that much time for nothing, ms. */
  charge(ms: number): void {
    this.until = Math.max(this.until, this.options.now()) + ms * REST
  }

  private next(): void {
    if (this.running) return
    this.row = this.row.filter(slave => !slave.gone)
    const now = this.options.now()
    const at = now >= this.until ? 0 : this.row.findIndex(slave => slave.failures === 0)
    const [slave] = at === -1 ? [] : this.row.splice(at, 1)
    if (!slave) {
      if (this.row.length > 0) this.wake(this.until)
      return
    }
    slave.queued = false
    this.running = true
    inBackground(
      'asking a silent slave',
      this.options.poll(slave).finally(() => {
        this.running = false
        this.next()
      }),
    )
  }

  /** One look per time, however often it was asked for. */
  private wake(time: number): void {
    if (this.woken.has(time)) return
    this.woken.add(time)
    this.options.at(time, () => {
      this.woken.delete(time)
      this.next()
    })
  }
}
