import type { SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'
import type { DataScope } from '../../lib/context.ts'
import * as repo from './catalogue.repo.ts'
import { type DeviceFacts, Matcher, type SubscriptionRule } from './matcher.ts'
import type { QueueClient } from './queue.repo.ts'

interface KnownDevice {
  readonly facts: DeviceFacts
  /** Subscriptions that want anything of it. */
  readonly matchers: readonly Matcher[]
  /** Arrival time after which it is looked at again: groups and tags change; null: its company subscribes to nothing. */
  readonly until: number | null
}

/** A device that was moved or tagged is taken by its new facts this much later at most. */
const KNOWN_MS = 10_000
/** Rights of whoever made a subscription are looked at again this often. */
const RIGHTS_MS = 5_000
const MAX_KNOWN = 200_000

export interface CatalogueDeps {
  /**
   * What the member who made a subscription may see now; null: nothing any more. Undefined: nobody of the company made
   * it, and what it was made with holds.
   */
  scopeNow(tenantId: string, loginId: string): Promise<DataScope | null | undefined>
  now(): number
}

/**
 * Who wants what, in memory: every row of the journal is held against it. Where nobody subscribes that is two
 * comparisons, and a device of a company without a subscription is one look into a map; nothing is parsed.
 */
export class SubscriptionCatalogue {
  private matchers = new Map<string, Matcher[]>()
  private versions = new Map<string, { version: number; matcher: Matcher }>()
  private kinds: ReadonlySet<SubscriptionKind> = new Set()
  private known = new Map<number, KnownDevice>()
  private stale = true
  /** Counts changes, so that one that comes during a reading is not missed. */
  private changes = 0
  private lookedAt = 0
  private scopes = new Map<string, DataScope | null | undefined>()

  constructor(private readonly deps: CatalogueDeps) {}

  /** Subscriptions were made, changed or ended. */
  changed(): void {
    this.stale = true
    this.changes++
  }

  /** Whether a row of this device may be of interest; false is certain. */
  wants(device: number, kind: SubscriptionKind, arrivedAt: number): boolean {
    if (this.stale) return true
    if (!this.kinds.has(kind)) return false
    const known = this.known.get(device)
    if (!known) return true
    return known.until === null ? false : known.matchers.length > 0 || arrivedAt >= known.until
  }

  /** Whether anybody wants such items at all, of any device. */
  async wantsAny(db: QueueClient, kinds: readonly SubscriptionKind[]): Promise<boolean> {
    await this.refresh(db)
    return kinds.some(kind => this.kinds.has(kind))
  }

  /** Learns about the devices of some rows, then `of` answers for them. */
  async prepare(db: QueueClient, rows: readonly { device: number; arrivedAt: number }[]): Promise<void> {
    await this.refresh(db)
    if (this.matchers.size === 0) return
    const asked = new Map<number, number>()
    for (const { device, arrivedAt } of rows) {
      const known = this.known.get(device)
      if (!known || (known.until !== null && arrivedAt >= known.until)) asked.set(device, arrivedAt)
    }
    if (asked.size === 0) return
    if (this.known.size + asked.size > MAX_KNOWN) this.known.clear()
    for (const facts of await repo.readDevices(db, [...asked.keys()])) {
      const ofCompany = this.matchers.get(facts.tenantId)
      this.known.set(facts.num, {
        facts,
        matchers: ofCompany?.filter(matcher => matcher.takesDevice(facts)) ?? [],
        until: ofCompany ? asked.get(facts.num)! + KNOWN_MS : null,
      })
    }
  }

  /** A device and who takes it; undefined: it is gone, or nobody does. */
  of(device: number): { facts: DeviceFacts; matchers: readonly Matcher[] } | undefined {
    return this.known.get(device)
  }

  /** Subscriptions that take items of a device whose facts are known. */
  takersOf(facts: DeviceFacts): Matcher[] {
    return (this.matchers.get(facts.tenantId) ?? []).filter(matcher => matcher.takesDevice(facts))
  }

  private async refresh(db: QueueClient): Promise<void> {
    if (!this.stale) await this.lookAtRights()
    if (!this.stale) return
    const { changes } = this
    this.lookedAt = this.deps.now()
    const rules = await repo.readRules(db)
    const scopes = await this.scopesOf(rules)
    const versions = new Map<string, { version: number; matcher: Matcher }>()
    const matchers = new Map<string, Matcher[]>()
    for (const rule of rules) {
      // What did not change keeps the memory of its sampling.
      const before = this.versions.get(rule.id)
      const matcher = before?.version === rule.version ? before.matcher : new Matcher(rule)
      matcher.scopeNow = scopes.get(makerOf(rule))
      versions.set(rule.id, { version: rule.version, matcher })
      const ofCompany = matchers.get(rule.tenantId)
      if (ofCompany) ofCompany.push(matcher)
      else matchers.set(rule.tenantId, [matcher])
    }
    this.versions = versions
    this.matchers = matchers
    this.scopes = scopes
    this.kinds = new Set(rules.flatMap(rule => rule.kinds))
    this.known = new Map()
    if (this.changes === changes) this.stale = false
  }

  /** Everything is read anew when what one of the makers may see became another. */
  private async lookAtRights(): Promise<void> {
    if (this.matchers.size === 0 || this.deps.now() - this.lookedAt < RIGHTS_MS) return
    this.lookedAt = this.deps.now()
    const scopes = await this.scopesOf([...this.matchers.values()].flat().map(({ rule }) => rule))
    const same = (maker: string) => JSON.stringify(scopes.get(maker)) === JSON.stringify(this.scopes.get(maker))
    if (![...scopes.keys()].every(same)) this.stale = true
  }

  /** What the makers of these may see now, each asked for once. */
  private async scopesOf(rules: readonly SubscriptionRule[]): Promise<Map<string, DataScope | null | undefined>> {
    const scopes = new Map<string, DataScope | null | undefined>()
    for (const rule of rules) {
      const maker = makerOf(rule)
      if (rule.createdBy !== null && !scopes.has(maker))
        scopes.set(maker, await this.deps.scopeNow(rule.tenantId, rule.createdBy))
    }
    return scopes
  }
}

const makerOf = ({ tenantId, createdBy }: SubscriptionRule) => `${tenantId}/${createdBy}`
