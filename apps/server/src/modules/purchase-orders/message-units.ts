import type { UnitKind } from '@thingwright/contracts/money.words'
import type { Database } from '../../lib/database/database.ts'
import { releaseUnits, reserveUnits, settleUnits, unitsOf } from '../wallets/index.ts'
import * as catalogue from './catalogue.repo.ts'

/** Messages and calls that leave by the operator's own carrier are paid with units. */
export interface MessageUnits {
  /** @param ref the same takes units once. @returns false: the company has not enough left */
  reserve(tenantId: string, kind: UnitKind, count: number, ref: string): Promise<boolean>
  /** It was sent and needed so many. */
  settle(tenantId: string, kind: UnitKind, ref: string, used: number): Promise<void>
  /** Nothing was sent. */
  release(tenantId: string, ref: string): Promise<void>
}

/** Where no pack of a kind is for sale and the company has none, nobody counts: an installation of one's own. */
export function createMessageUnits({ database, now }: { database: Database; now(): number }): MessageUnits {
  return {
    reserve: (tenantId, kind, units, key) =>
      database.withSystemScope('money', async scope => {
        const own = (await unitsOf(scope, tenantId, now())).find(one => one.kind === kind)
        const isSold = (await catalogue.published(scope)).some(item => item.kind === kind)
        if (!isSold && (own?.batches.length ?? 0) === 0) return true
        return await reserveUnits(scope, { tenantId, kind, key, units, now: now() })
      }),
    settle: (tenantId, kind, key, units) =>
      database.withSystemScope('money', async scope => {
        await settleUnits(scope, { tenantId, kind, key, units, now: now() })
      }),
    release: (tenantId, key) => database.withSystemScope('money', scope => releaseUnits(scope, { tenantId, key })),
  }
}
