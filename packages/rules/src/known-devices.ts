import { Device, type Slot, Watch } from './directory.ts'
import type { Instance } from './instance.ts'
import { propertyOf } from './program.ts'
import type { Snapshot } from './snapshot.ts'
import type { Passes } from './snapshot-pass.ts'

/** What was known of devices before a rule looked at them. */
export interface Seed {
  latest(device: number, property: string): { value: unknown; ts: number } | undefined
  isOnline(device: number): boolean | undefined
}

/** The devices and signals that rules look at, with the conditions that look at them. */
export class KnownDevices {
  readonly devices = new Map<number, Device>()
  readonly signals = new Map<string, Watch[]>()

  constructor(private readonly passes: Passes) {}

  get(number: number): Device | undefined {
    return this.devices.get(number)
  }

  /** Takes devices of a snapshot. */
  load(states: Snapshot['devices']): void {
    for (const { device, presence, at, slots } of states) {
      const known = new Device(device, at, this.passes)
      known.presence = presence
      this.devices.set(device, known)
      for (const [property, value, ts, slotAt] of slots) {
        const slot = known.slot(property, slotAt)
        slot.value = value
        slot.ts = ts ?? Number.NEGATIVE_INFINITY
      }
    }
  }

  save(): Snapshot['devices'] {
    return [...this.devices.values()].map(device => device.state())
  }

  /** Puts the conditions of an instance where what they look at is kept. @param now lane time */
  register(instance: Instance, seed: Seed | undefined, now: number): void {
    for (const [place, node] of instance.program.nodes.entries()) {
      if (node.type === 'signal') {
        const watches = this.signals.get(node.name) ?? []
        this.signals.set(node.name, watches)
        watches.push(new Watch(instance, place, null, null, null))
        continue
      }
      if (node.children.length > 0 || node.type === 'tick') continue
      const number = node.device ?? instance.device
      const device = this.device(number, seed, now)
      const plain = new Watch(instance, place, null, null, null)
      if (node.type === 'presence') device.presenceWatches.push(plain)
      else if (node.type === 'command_failed') device.failed.push(plain)
      else if (node.type === 'event') {
        const watches = device.events.get(node.identifier) ?? []
        device.events.set(node.identifier, watches)
        watches.push(plain)
      } else if (node.type === 'no_data') {
        if (node.property === null) device.alive.push(plain)
        else this.slot(number, node.property, seed, now).alive.push(plain)
      } else if ('property' in node) {
        const property = propertyOf(instance.program, node.property, number)
        if (property === undefined) continue
        const own = this.slot(number, property, seed, now)
        const against = node.type === 'compare' ? node.other : null
        const other = against ? this.slot(against.device ?? instance.device, against.property, seed, now) : null
        const watch = new Watch(instance, place, node.type === 'compare' ? node.test : null, own, other)
        instance.watches.push(watch)
        own.watches.push(watch)
        if (other && other !== own) other.watches.push(watch)
      }
    }
  }

  private device(number: number, seed: Seed | undefined, now: number): Device {
    let device = this.devices.get(number)
    if (!device) {
      device = new Device(number, now, this.passes)
      const isOnline = seed?.isOnline(number)
      if (isOnline !== undefined) device.presence = isOnline ? 1 : 0
      this.devices.set(number, device)
    }
    return device
  }

  private slot(number: number, property: string, seed: Seed | undefined, now: number): Slot {
    const device = this.device(number, seed, now)
    const isKnown = device.slots.has(property)
    const slot = device.slot(property, now)
    const latest = isKnown ? undefined : seed?.latest(number, property)
    if (latest) {
      slot.value = latest.value
      slot.ts = latest.ts
    }
    return slot
  }

  /**
   * Takes out the conditions of instances that are gone.
   * @param numbers devices that they looked at
   * @param names signals that they waited for
   */
  forget(gone: ReadonlySet<Instance>, numbers: Iterable<number>, names: Iterable<string>): void {
    for (const number of numbers) this.devices.get(number)?.forget(gone)
    for (const name of names)
      this.signals.set(
        name,
        (this.signals.get(name) ?? []).filter(watch => !gone.has(watch.instance)),
      )
  }

  /** Forgets devices, of these, that no condition looks at any more. */
  prune(numbers: Iterable<number>): void {
    for (const number of numbers) if (this.devices.get(number)?.prune()) this.devices.delete(number)
  }
}
