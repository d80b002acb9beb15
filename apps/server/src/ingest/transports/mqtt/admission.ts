import type { MqttLimits } from './limits.ts'

/** A place among the connections that have not signed in; given back once. */
export interface Ticket {
  leave(): void
}

/** Bounds what strangers may hold: connections, from one address and in all, and half-received bytes. */
export class Admission {
  private readonly perAddress = new Map<string, number>()
  private total = 0
  private bytes = 0

  constructor(private readonly limits: MqttLimits) {}

  /** Null when there is no place. `ip` is the peer's address without its port. */
  enter(ip: string): Ticket | null {
    const here = this.perAddress.get(ip) ?? 0
    if (here >= this.limits.maxUnauthenticatedPerAddress || this.total >= this.limits.maxUnauthenticated) return null
    this.perAddress.set(ip, here + 1)
    this.total++
    let left = false
    return {
      leave: () => {
        if (left) return
        left = true
        this.total--
        const rest = (this.perAddress.get(ip) ?? 1) - 1
        if (rest === 0) this.perAddress.delete(ip)
        else this.perAddress.set(ip, rest)
      },
    }
  }

  /** Accounts for bytes held before sign-in; false when that is too many in all. */
  hold(delta: number): boolean {
    this.bytes += delta
    return this.bytes <= this.limits.maxUnauthenticatedBytes
  }

  get waiting(): number {
    return this.total
  }
}
