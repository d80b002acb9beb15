import type { DeviceRecord } from '../../uplink.ts'
import type { CoapPeer } from './coap-server.ts'

/** A device that wants to be told of its commands. */
export interface Observer {
  device: DeviceRecord
  peer: CoapPeer
  token: Buffer
  /** Number of the last notification (RFC 7641 §3.4). */
  sequence: number
}

/** Devices that observe their commands, one registration each: the last one counts. */
export class Observers {
  private readonly byDevice = new Map<number, Observer>()
  private readonly byAddress = new Map<string, number>()

  get size(): number {
    return this.byDevice.size
  }

  get(device: number): Observer | null {
    return this.byDevice.get(device) ?? null
  }

  /** The device that observes from there. */
  at(address: string): DeviceRecord | null {
    const device = this.byAddress.get(address)
    return device === undefined ? null : (this.byDevice.get(device)?.device ?? null)
  }

  add(device: DeviceRecord, peer: CoapPeer, token: Buffer): Observer {
    const observer = { device, peer, token, sequence: (this.get(device.num)?.sequence ?? 1) + 1 }
    this.remove(device.num)
    this.byDevice.set(device.num, observer)
    this.byAddress.set(peer.address, device.num)
    return observer
  }

  remove(device: number): void {
    const observer = this.byDevice.get(device)
    if (!observer) return
    this.byDevice.delete(device)
    if (this.byAddress.get(observer.peer.address) === device) this.byAddress.delete(observer.peer.address)
  }
}
