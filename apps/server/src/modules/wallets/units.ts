import type { UnitKind } from '@thingwright/contracts/money.words'
import { UNIT_KINDS } from '@thingwright/contracts/money.words'
import type { UnitsView } from '@thingwright/contracts/wallets.contract'
import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import * as repo from './units.repo.ts'

const DAY_MS = 86_400_000

export interface AskForUnits {
  tenantId: string
  kind: UnitKind
  /** What the units are for, a message's id for example: the same key takes units once. */
  key: string
  units: number
  now: number
}

/**
 * Takes units of the batches that end first, within the caller's transaction.
 * @returns false when there are not enough; then nothing was taken
 */
export async function reserveUnits(scope: Runner, ask: AskForUnits): Promise<boolean> {
  const known = await repo.holdUse(scope, ask.tenantId, ask.key)
  if (known) return known.state !== 'released'
  const parts = await take(scope, ask, ask.units)
  if (!parts) return false
  return repo.insertUse(scope, { ...ask, id: newId(ask.now), parts })
}

/**
 * The message went out and needed so many: what was reserved too much goes back, what is missing is taken if it is there.
 * @returns how many were used
 */
export async function settleUnits(scope: Runner, { tenantId, kind, key, units, now }: AskForUnits): Promise<number> {
  const use = await repo.holdUse(scope, tenantId, key)
  if (use?.state !== 'reserved') return use?.units ?? 0
  let parts = use.parts
  if (units < use.units) parts = await giveBack(scope, parts, use.units - units)
  else if (units > use.units) {
    const more = await take(scope, { tenantId, kind, now }, units - use.units)
    if (more) parts = [...parts, ...more]
  }
  const used = parts.reduce((sum, part) => sum + part.units, 0)
  await repo.endUse(scope, use.id, 'settled', Math.max(used, 1), parts)
  return used
}

/** It did not go out: all of it goes back to the batches, also to one that has ended meanwhile. */
export async function releaseUnits(
  scope: Runner,
  { tenantId, key }: Pick<AskForUnits, 'tenantId' | 'key'>,
): Promise<void> {
  const use = await repo.holdUse(scope, tenantId, key)
  if (use?.state !== 'reserved') return
  await giveBack(scope, use.parts, use.units)
  await repo.endUse(scope, use.id, 'released', use.units, use.parts)
}

async function take(
  scope: Runner,
  { tenantId, kind, now }: Pick<AskForUnits, 'tenantId' | 'kind' | 'now'>,
  units: number,
): Promise<repo.UseRow['parts'] | null> {
  const batches = await repo.holdBatches(scope, tenantId, kind, new Date(now))
  if (batches.reduce((sum, { left }) => sum + left, 0) < units) return null
  const parts: repo.UseRow['parts'] = []
  let wanted = units
  for (const { id, left } of batches) {
    if (wanted === 0) break
    const taken = Math.min(left, wanted)
    await repo.changeBatch(scope, id, -taken)
    parts.push({ id, units: taken })
    wanted -= taken
  }
  return parts
}

/** The last parts first. @returns what stays taken */
async function giveBack(scope: Runner, parts: repo.UseRow['parts'], units: number): Promise<repo.UseRow['parts']> {
  const kept: repo.UseRow['parts'] = []
  let back = units
  for (const part of parts.toReversed()) {
    const returned = Math.min(part.units, back)
    back -= returned
    if (returned > 0) await repo.changeBatch(scope, part.id, returned)
    if (part.units > returned) kept.unshift({ id: part.id, units: part.units - returned })
  }
  return kept
}

/** What is left of each kind, batch by batch. */
export async function unitsOf(scope: Runner, tenantId: string, now: number): Promise<UnitsView[]> {
  const batches = await repo.batches(scope, tenantId, new Date(now))
  const used = await repo.usedSince(scope, tenantId, new Date(now - 30 * DAY_MS))
  return UNIT_KINDS.map(kind => {
    const own = batches.filter(batch => batch.kind === kind)
    return {
      kind,
      left: own.reduce((sum, { left }) => sum + left, 0),
      total: own.reduce((sum, { total }) => sum + total, 0),
      used30: used.get(kind) ?? 0,
      batches: own.map(({ expiresAt, createdAt, ...batch }) => ({
        ...batch,
        expiresAt: expiresAt.toISOString(),
        createdAt: createdAt.toISOString(),
      })),
    }
  })
}
