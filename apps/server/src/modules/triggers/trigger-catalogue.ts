import { type Assignment, compileRule, type Program, type RuleDocument } from '@thingwright/rules'
import type { Actor } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import type { Logger } from '../../lib/log.ts'
import { fencedBy } from './trigger-fences.ts'
import { againstThings, otherDevices } from './trigger-rule.ts'
import { thingsOf, watchedOf } from './trigger-scope.ts'
import * as repo from './triggers.repo.ts'

/** A trigger as it is judged. */
export interface JudgedTrigger {
  id: string
  tenantId: string
  name: string
  document: RuleDocument
  program: Program
  targets: number[]
  ownerId: string | null
}

export interface WatchedName {
  id: string
  tenantId: string
}

/** What is different since the last look: rules to be judged from now on, and those that are judged no longer. */
export interface CatalogueChange {
  set: Assignment[]
  removed: string[]
}

export interface CatalogueDeps {
  database: Database
  /** The rights of a trigger's owner now; null: he may no longer act; undefined: no member made it. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  logger: Logger
  now(): number
}

/** Owners are read again this often, and with them changes that no event announced. */
const LOOK_AGAIN_MS = 5_000

/**
 * The rules of all companies, compiled once. Who is watched by whom is kept up to date with devices, groups and models;
 * what cannot be judged is put into the state error with the reason.
 */
export class TriggerCatalogue {
  private readonly judged = new Map<string, JudgedTrigger>()
  /** Triggers that are judged no longer: the engine must still clear their alarms once. */
  private readonly gone = new Map<string, JudgedTrigger>()
  /** About cards, gateways and cameras: judged beside the lanes. */
  private readonly objects = new Set<string>()
  private readonly devices = new Map<number, WatchedName>()
  private readonly dirty = new Set<string>()
  private all = true
  private owners = new Map<string, string>()
  /** Their owners may not have them judged: looked at again until they may, or the triggers are gone. */
  private readonly waiting = new Set<string>()
  private lookedAt = 0
  private nextExpiry = Number.POSITIVE_INFINITY

  constructor(private readonly deps: CatalogueDeps) {}

  /** Triggers were made, changed or removed. */
  changed(ids: readonly string[]): void {
    for (const id of ids) this.dirty.add(id)
  }

  /** Rights of people are different: owners are looked at again. */
  rightsChanged(): void {
    this.lookedAt = 0
  }

  /** A trigger that is judged, or was. */
  about(id: string): JudgedTrigger | undefined {
    return this.judged.get(id) ?? this.gone.get(id)
  }

  /** What was judged no longer has been written. */
  forgetGone(): void {
    this.gone.clear()
  }

  /** Ids of all that are judged. */
  ids(): string[] {
    return [...this.judged.keys(), ...this.objects]
  }

  private drop(id: string): boolean {
    const found = this.judged.get(id)
    if (found) this.gone.set(id, found)
    return this.judged.delete(id)
  }

  /** Every trigger that is judged. */
  assignments(): Assignment[] {
    return [...this.judged.values()].map(({ program, targets }) => ({ program, targets }))
  }

  /** A device that is watched, or was. */
  device(num: number): WatchedName | undefined {
    return this.devices.get(num)
  }

  get size(): number {
    return this.judged.size
  }

  /** Reads what is different. @param db a connection of the telemetry role */
  async refresh(db: repo.Connection): Promise<CatalogueChange> {
    const marks = await repo.takeMarks(db)
    const now = this.deps.now()
    if (now - this.lookedAt >= LOOK_AGAIN_MS) await this.lookAtOwners(now)
    const whole = this.all
    const ids = [...this.dirty]
    if (!whole && ids.length === 0 && marks.length === 0 && now < this.nextExpiry) return { set: [], removed: [] }
    this.all = false
    this.dirty.clear()
    try {
      const rows = whole
        ? await repo.loadAll(db)
        : [
            ...(ids.length > 0 ? await repo.load(db, ids) : []),
            ...(marks.length > 0 ? await repo.loadCompanies(db, marks) : []),
          ]
      const expired = now >= this.nextExpiry ? [...this.judged.keys()] : []
      if (expired.length > 0) rows.push(...(await repo.load(db, expired)))
      const unique = new Map(rows.map(row => [row.id, row]))
      const change = await this.take([...unique.values()], now)
      for (const id of ids) {
        if (unique.has(id)) continue
        this.waiting.delete(id)
        this.objects.delete(id)
        if (this.drop(id)) change.removed.push(id)
      }
      return change
    } catch (error) {
      this.all ||= whole
      for (const id of ids) this.dirty.add(id)
      if (marks.length > 0) this.all = true
      throw error
    }
  }

  private async take(rows: readonly repo.TriggerRow[], now: number): Promise<CatalogueChange> {
    const change: CatalogueChange = { set: [], removed: [] }
    const byOwner = new Map<string, repo.TriggerRow[]>()
    for (const row of rows) {
      const key = `${row.tenantId}/${row.ownerId ?? ''}`
      byOwner.set(key, [...(byOwner.get(key) ?? []), row])
    }
    for (const list of byOwner.values()) await this.takeOfOwner(list, change, now)
    this.nextExpiry = Math.min(Number.POSITIVE_INFINITY, ...rows.flatMap(row => expiryOf(row, now)))
    return change
  }

  private async takeOfOwner(rows: readonly repo.TriggerRow[], change: CatalogueChange, now: number): Promise<void> {
    const { tenantId, ownerId } = rows[0]!
    const owner = ownerId === null ? undefined : await this.deps.ownerNow(tenantId, ownerId)
    // As they are judged now: what is different at the next look is judged anew.
    if (ownerId !== null) this.owners.set(`${tenantId}/${ownerId}`, factsOf(owner))
    const mayJudge =
      owner === undefined || (owner !== null && owner.kind !== 'system' && owner.permissions.has('trigger:write'))
    const faults: { id: string; fault: repo.Fault | null }[] = []
    await this.deps.database.withTenant({ tenantId, ...(owner ? { actor: owner } : {}) }, async scope => {
      const found = new Map<string, Promise<repo.WatchedDevice[]>>()
      for (const row of rows) {
        const isWanted = row.enabled && !(row.expiresAt && row.expiresAt.getTime() <= now)
        const result = !isWanted
          ? null
          : !mayJudge
            ? { code: owner === null ? 'owner_gone' : 'owner_rights', params: {} }
            : row.document.kind === 'object'
              ? scope.limited
                ? { code: 'owner_rights', params: {} }
                : ('object' as const)
              : await this.judge(scope, row, found)
        const isFault = result !== null && result !== 'object' && 'code' in result
        if (result === 'object') this.objects.add(row.id)
        else this.objects.delete(row.id)
        if (isWanted && !mayJudge) this.waiting.add(row.id)
        else this.waiting.delete(row.id)
        // A rule that its guard stopped stays stopped where it was; it is judged all the same.
        const fault = isFault ? result : row.fault?.code === 'loop' ? row.fault : null
        if (isWanted && JSON.stringify(fault) !== JSON.stringify(row.fault)) faults.push({ id: row.id, fault })
        if (result === null || result === 'object' || isFault) {
          if (this.drop(row.id)) change.removed.push(row.id)
          continue
        }
        const before = this.judged.get(row.id)
        this.judged.set(row.id, result)
        const isSame =
          before?.program.version === result.program.version &&
          before.program.switchedOff === result.program.switchedOff &&
          before.program.places === result.program.places
        if (isSame && sameNumbers(before.targets, result.targets)) {
          result.program = before.program
          continue
        }
        change.set.push({ program: result.program, targets: result.targets })
      }
    })
    if (faults.length > 0)
      await this.deps.database.withSystemScope('triggers', async scope => {
        for (const { id, fault } of faults) await repo.setFault(scope, id, fault)
      })
  }

  private async judge(
    scope: TenantScope,
    row: repo.TriggerRow,
    found: Map<string, Promise<repo.WatchedDevice[]>>,
  ): Promise<JudgedTrigger | repo.Fault> {
    const { document } = row
    const key = JSON.stringify(document.scope)
    const finding = found.get(key) ?? watchedOf(scope, document.scope)
    found.set(key, finding)
    const devices = await finding
    const otherIds = otherDevices(document)
    const others = otherIds.length > 0 ? await watchedOf(scope, { deviceIds: otherIds }) : []
    for (const { num, id } of [...devices, ...others]) this.devices.set(num, { id, tenantId: row.tenantId })
    if (devices.length === 0 && document.scope.deviceIds) return { code: 'device_gone', params: {} }
    const numbers = new Map(others.map(({ id, num }) => [id, num]))
    const things = await thingsOf(scope, document, devices, others)
    const fenced = await fencedBy(scope, document, things, devices, others)
    const compiled = compileRule(
      { id: row.id, version: row.ruleVersion, switchedOff: row.switchedOff, document: ownSignals(document, row.id) },
      { numberOf: id => numbers.get(id), calendar: () => undefined, ...fenced.around },
    )
    if (!compiled.ok) {
      const problem = compiled.problems[0]!
      if (problem.code === 'fence_unknown') return { code: 'fence_gone', params: {} }
      return problem.code === 'device_unknown'
        ? { code: 'device_gone', params: problem.params }
        : { code: 'rule_invalid', params: { path: problem.path } }
    }
    if (fenced.disabled) return { code: 'fence_disabled', params: { name: fenced.disabled.name } }
    if (devices.length > 0) {
      const [problem] = againstThings(document, things).filter(({ code }) => code !== 'trigger.type_unfit')
      if (problem)
        return problem.code === 'trigger.position_unknown'
          ? { code: 'position_gone', params: {} }
          : { code: 'property_gone', params: problem.params }
    }
    return {
      id: row.id,
      tenantId: row.tenantId,
      name: row.name,
      document,
      program: compiled.program,
      targets: devices.map(({ num }) => num),
      ownerId: row.ownerId,
    }
  }

  /** Members whose rights or data scope changed: their triggers are compiled again. */
  private async lookAtOwners(now: number): Promise<void> {
    this.lookedAt = now
    const seen = new Map<string, string>()
    const ofOwner = new Map<string, string[]>()
    for (const { id, tenantId, ownerId } of this.judged.values()) {
      if (ownerId === null) continue
      const key = `${tenantId}/${ownerId}`
      ofOwner.set(key, [...(ofOwner.get(key) ?? []), id])
    }
    for (const [key, ids] of ofOwner) {
      const [tenantId, ownerId] = key.split('/') as [string, string]
      const owner = await this.deps.ownerNow(tenantId, ownerId)
      const facts = factsOf(owner)
      seen.set(key, facts)
      if (this.owners.has(key) && this.owners.get(key) !== facts) this.changed(ids)
    }
    this.owners = seen
    this.changed([...this.waiting])
  }
}

/** What of an owner decides what his triggers may see and do. */
function factsOf(owner: Actor | null | undefined): string {
  if (!owner || owner.kind === 'system') return String(owner)
  return JSON.stringify([owner.permissions.has('trigger:write'), 'dataScope' in owner ? owner.dataScope : 'all'])
}

/** Buttons and calls of a trigger are its own, whatever others call theirs. */
function ownSignals(document: RuleDocument, id: string): RuleDocument {
  const own = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(own)
    if (value === null || typeof value !== 'object') return value
    const { type, key } = value as { type?: unknown; key?: unknown }
    if (type === 'button' || type === 'api') return { ...value, key: `${id}/${key}` }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, own(inner)]))
  }
  const { condition, clear } = document
  return {
    ...document,
    ...(condition ? { condition: own(condition) as RuleDocument['condition'] & object } : {}),
    ...(typeof clear === 'object' ? { clear: own(clear) as RuleDocument['clear'] & object } : {}),
  }
}

function expiryOf(row: repo.TriggerRow, now: number): number[] {
  const at = row.expiresAt?.getTime()
  return at !== undefined && at > now && row.enabled ? [at] : []
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i])
}
