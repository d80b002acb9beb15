import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { statisticsContract } from '@thingwright/contracts/statistics.contract'
import { type Ctx, dataScopeOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { lastSample, sharesAt } from './fleet.repo.ts'
import { SHORT_STEP } from './fleet-cells.ts'
import { provinceOf } from './provinces.ts'
import * as repo from './shares.repo.ts'

type Contract = (typeof statisticsContract)['distribution']
type Shares = ResponseOf<Contract>
type Share = Shares['items'][number]
type By = QueryOf<Contract>['by']

/** What takes a look at every device is not counted again for everybody who looks at a company's overview. */
const KEPT_MS = 60_000

/** How a company's devices are distributed, as far as the caller sees them. */
export function createShares(database: Database): (ctx: Ctx, input: QueryOf<Contract>) => Promise<Shares> {
  const kept = new Map<string, { at: number; shares: Promise<Shares> }>()
  return (ctx, { by }) => {
    const count = () => database.withTenant(ctx, scope => counted(scope, by, ctx.now))
    if (by === 'product' || by === 'linkType' || dataScopeOf(ctx.actor).kind === 'limited') return count()
    const key = `${ctx.tenantId} ${by}`
    const last = kept.get(key)
    if (last && ctx.now - last.at < KEPT_MS) return last.shares
    for (const [other, { at }] of kept) if (ctx.now - at >= KEPT_MS) kept.delete(other)
    const shares = count()
    kept.set(key, { at: ctx.now, shares })
    // A failure is the answer of this question only.
    shares.catch(() => kept.delete(key))
    return shares
  }
}

async function counted(scope: TenantScope, by: By, now: number): Promise<Shares> {
  if (by === 'firmware') return { takenAt: now, items: (await repo.devicesByFirmware(scope)).map(named) }
  if (by === 'carrier') return { takenAt: now, items: (await repo.devicesByCarrier(scope)).map(named) }
  if (by === 'province') return { takenAt: now, items: byProvince(await repo.devicesByPlace(scope)) }
  const last = await lastSample(scope, SHORT_STEP)
  if (!last) return { takenAt: null, items: [] }
  const items = (await sharesAt(scope, SHORT_STEP, last.at)).map(
    ({ product_id, name, link_type, devices, online }): Share => ({
      id: product_id,
      name,
      ename: null,
      linkType: link_type as Share['linkType'],
      devices,
      online,
    }),
  )
  return { takenAt: last.taken_at.getTime(), items: by === 'product' ? items : byLinkType(items) }
}

const named = (row: repo.CountRow): Share => ({ id: null, ename: null, linkType: null, ...row })

function byProvince(rows: readonly repo.PlaceRow[]): Share[] {
  return summed(
    rows.map(({ lng, lat, devices, online }) => {
      const province = provinceOf({ lng, lat })
      return { ...named({ name: province?.zh ?? '', devices, online }), ename: province?.en ?? null }
    }),
    share => share.name,
  )
}

const byLinkType = (items: readonly Share[]): Share[] =>
  summed(
    items.map(item => ({ ...item, id: null, name: item.linkType ?? '' })),
    item => item.name,
  )

function summed(items: readonly Share[], keyOf: (item: Share) => string): Share[] {
  const sums = new Map<string, Share>()
  for (const item of items) {
    const known = sums.get(keyOf(item)) ?? { ...item, devices: 0, online: 0 }
    sums.set(keyOf(item), {
      ...known,
      devices: known.devices + item.devices,
      online: known.online + item.online,
    })
  }
  return [...sums.values()].toSorted((a, b) => b.devices - a.devices)
}
