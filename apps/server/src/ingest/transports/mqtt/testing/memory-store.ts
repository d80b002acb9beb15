import type { Subscription } from '../session.ts'
import type { SessionStore, StoredOutbound, StoredSession } from '../session-store.ts'

interface Row {
  expirySeconds: number
  /** Null while connected. */
  expiresAt: number | null
  subscriptions: Subscription[]
}

/** Session store without a database, for tests and tools. Every call takes effect in a later turn, as a database's would. */
export class MemoryStore implements SessionStore {
  readonly sessions = new Map<number, Row>()
  readonly inbound = new Map<number, Set<number>>()
  readonly outbound = new Map<number, Map<number, StoredOutbound>>()
  /** While set, every call fails with it. */
  failing: Error | null = null

  constructor(private readonly now: () => number = Date.now) {}

  /** What the journal's transaction does. */
  insertInbound(device: number, packetId: number): void {
    const ids = this.inbound.get(device) ?? new Set()
    this.inbound.set(device, ids.add(packetId))
  }

  private async turn(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    if (this.failing) throw this.failing
  }

  async start(): Promise<void> {
    for (const row of this.sessions.values()) row.expiresAt ??= this.now() + row.expirySeconds * 1000
  }

  async load(device: number): Promise<StoredSession | null> {
    await this.turn()
    const row = this.sessions.get(device)
    if (!row) return null
    if (row.expiresAt !== null && row.expiresAt <= this.now()) {
      this.forget(device)
      return null
    }
    return {
      subscriptions: row.subscriptions,
      inbound: [...(this.inbound.get(device) ?? [])],
      outbound: [...(this.outbound.get(device)?.values() ?? [])].map(message => ({ ...message })),
    }
  }

  async clear(device: number): Promise<void> {
    await this.turn()
    this.forget(device)
  }

  async open(device: number, expirySeconds: number): Promise<void> {
    await this.turn()
    const row = this.sessions.get(device)
    if (row) Object.assign(row, { expirySeconds, expiresAt: null })
    else this.sessions.set(device, { expirySeconds, expiresAt: null, subscriptions: [] })
  }

  async saveSubscriptions(device: number, subscriptions: readonly Subscription[]): Promise<void> {
    await this.turn()
    const row = this.sessions.get(device)
    if (row) row.subscriptions = [...subscriptions]
  }

  async close(device: number, expirySeconds: number, expiresAt: number): Promise<void> {
    await this.turn()
    const row = this.sessions.get(device)
    if (row) Object.assign(row, { expirySeconds, expiresAt })
  }

  async releaseInbound(device: number, packetId: number): Promise<void> {
    await this.turn()
    this.inbound.get(device)?.delete(packetId)
  }

  async addOutbound(device: number, message: StoredOutbound): Promise<void> {
    await this.turn()
    const rows = this.outbound.get(device) ?? new Map<number, StoredOutbound>()
    this.outbound.set(device, rows.set(message.packetId, { ...message }))
  }

  async releaseOutbound(device: number, packetId: number): Promise<void> {
    await this.turn()
    const row = this.outbound.get(device)?.get(packetId)
    if (row) row.released = true
  }

  async removeOutbound(device: number, packetId: number): Promise<void> {
    await this.turn()
    this.outbound.get(device)?.delete(packetId)
  }

  async stop(): Promise<void> {}

  private forget(device: number): void {
    this.sessions.delete(device)
    this.inbound.delete(device)
    this.outbound.delete(device)
  }
}
