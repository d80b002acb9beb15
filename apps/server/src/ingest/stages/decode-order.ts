import { inBackground } from '../../lib/background.ts'
import type { DeviceRecord } from '../uplink.ts'

/** Messages and bytes of one product that may wait for their decoding before its devices' sockets are held. */
const MOST_WAITING = 1_000
const MOST_BYTES = 16 * 2 ** 20

interface Step {
  run(): void | Promise<void>
  bytes: number
}

interface ProductLoad {
  messages: number
  bytes: number
  drained: (() => void)[]
}

/**
 * Keeps the messages of one device in their order while some of them are decoded elsewhere, and knows how much waits.
 * Devices do not wait for each other; a product whose scripts are slow holds the sockets of its own devices only.
 */
export class DecodeOrder {
  /** Steps behind the one under way, by device; a device stands here as long as one is. */
  private readonly queues = new Map<number, Step[]>()
  private readonly loads = new Map<number, ProductLoad>()
  private idle: (() => void)[] = []

  /** Whether an earlier message of the device is still being decoded. */
  isBusy(device: number): boolean {
    return this.queues.size > 0 && this.queues.has(device)
  }

  /** Goes on with a message of a device that is not busy; `under way` is its promise. */
  begin(device: number, product: number, bytes: number, underWay: Promise<void>): void {
    this.queues.set(device, [])
    this.add(product, bytes)
    inBackground(
      'the next message of a device',
      underWay.then(() => this.next(device, product, bytes)),
    )
  }

  /** Lets a message wait for those before it. */
  wait(device: number, product: number, bytes: number, run: Step['run']): void {
    this.queues.get(device)!.push({ run, bytes })
    this.add(product, bytes)
  }

  /** False while too much of the device's product waits. */
  hasRoom({ productNum }: Pick<DeviceRecord, 'productNum'>): boolean {
    const load = this.loads.get(productNum)
    return load === undefined || (load.messages < MOST_WAITING && load.bytes < MOST_BYTES)
  }

  /** Calls once, when half of what waited is gone; at once when nothing waits. */
  onDrain({ productNum }: Pick<DeviceRecord, 'productNum'>, resume: () => void): void {
    const load = this.loads.get(productNum)
    if (load) load.drained.push(resume)
    else resume()
  }

  get waiting(): number {
    let count = 0
    for (const load of this.loads.values()) count += load.messages
    return count
  }

  /** Resolves when nothing is being decoded, or after the time given. */
  async settled(mostMs: number): Promise<void> {
    if (this.queues.size === 0) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, mostMs)
      this.idle.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  private add(product: number, bytes: number): void {
    const load = this.loads.get(product)
    if (load) {
      load.messages++
      load.bytes += bytes
    } else this.loads.set(product, { messages: 1, bytes, drained: [] })
  }

  private remove(product: number, bytes: number): void {
    const load = this.loads.get(product)
    if (!load) return
    load.messages--
    load.bytes -= bytes
    if (load.messages === 0) this.loads.delete(product)
    if (load.drained.length === 0 || load.messages > MOST_WAITING / 2 || load.bytes > MOST_BYTES / 2) return
    for (const resume of load.drained.splice(0)) resume()
  }

  /** The step under way is done: the device's next ones, as far as they are done at once. */
  private next(device: number, product: number, bytes: number): void {
    this.remove(product, bytes)
    const queue = this.queues.get(device)!
    for (let step = queue.shift(); step; step = queue.shift()) {
      const { bytes: waited } = step
      const underWay = step.run()
      if (underWay) {
        inBackground(
          'the next message of a device',
          underWay.then(() => this.next(device, product, waited)),
        )
        return
      }
      this.remove(product, waited)
    }
    this.queues.delete(device)
    if (this.queues.size > 0) return
    for (const resolve of this.idle.splice(0)) resolve()
  }
}
