/** A place among those that have not signed in; given back once. */
export interface Ticket {
  leave(): void
}

/** Bounds how many strangers there may be at a time, from one address and in all. */
export class Strangers {
  private readonly perAddress = new Map<string, number>()
  private total = 0

  constructor(private readonly limits: { perAddress: number; inAll: number }) {}

  get waiting(): number {
    return this.total
  }

  /** Null when there is no place. @param ip the peer's address without its port */
  enter(ip: string): Ticket | null {
    const here = this.perAddress.get(ip) ?? 0
    if (here >= this.limits.perAddress || this.total >= this.limits.inAll) return null
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
}
