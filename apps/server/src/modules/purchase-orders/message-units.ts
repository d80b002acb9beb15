import type { PackSpec } from '@thingwright/contracts/catalogue.contract'
import type { UnitKind } from '@thingwright/contracts/money.words'
import { systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import {
  chargedByKey,
  findWallet,
  insertConsumption,
  move,
  NO_WALLET,
  releaseUnits,
  reserveUnits,
  settleUnits,
  unitsOf,
} from '../wallets/index.ts'
import * as catalogue from './catalogue.repo.ts'

/** Messages and calls that leave by the operator's own carrier are paid with units. */
export interface MessageUnits {
  /**
   * Takes units of the company; of an urgent message without units the price of as many from its balance and credit line,
   * unless the company has switched that off.
   * @param ref the same takes units once
   * @returns false: the company has not enough left
   */
  reserve(tenantId: string, kind: UnitKind, count: number, ref: string, isUrgent: boolean): Promise<boolean>
  /** It was sent and needed so many. */
  settle(tenantId: string, kind: UnitKind, ref: string, used: number): Promise<void>
  /** Nothing was sent. */
  release(tenantId: string, ref: string): Promise<void>
}

/** Where no pack of a kind is for sale and the company has none, nobody counts: an installation of one's own. */
export function createMessageUnits({ database, now }: { database: Database; now(): number }): MessageUnits {
  const inMoney = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('money', work)

  /** @returns false: the balance does not reach, or may not be used */
  async function payFromBalance(tenantId: string, kind: UnitKind, count: number, ref: string): Promise<boolean> {
    try {
      return await inMoney(async scope => {
        const wallet = (await findWallet(scope, tenantId)) ?? NO_WALLET
        const unitFen = await unitPrice(scope, kind)
        if (!wallet.urgentOnBalance || unitFen === null) return false
        const fen = unitFen * count
        await move(scope, {
          tenantId,
          kind: 'charge',
          key: paidKey(ref),
          cause: { kind: 'message', id: ref },
          actor: systemContext(tenantId, 'urgent message', now()).actor,
          entries: { available: -fen, income: fen },
        })
        return true
      })
    } catch (error) {
      if (isAppError(error) && error.code === 'wallet.insufficient') return false
      throw error
    }
  }

  return {
    async reserve(tenantId, kind, units, key, isUrgent) {
      const reserved = await inMoney(async scope => {
        const own = (await unitsOf(scope, tenantId, now())).find(one => one.kind === kind)
        const isSold = (await catalogue.published(scope)).some(item => item.kind === kind)
        if (!isSold && (own?.batches.length ?? 0) === 0) return true
        return await reserveUnits(scope, { tenantId, kind, key, units, now: now() })
      })
      return reserved || (isUrgent && (await payFromBalance(tenantId, kind, units, key)))
    },
    settle: (tenantId, kind, key, units) =>
      inMoney(async scope => {
        const paid = await chargedByKey(scope, tenantId, paidKey(key))
        if (!paid) {
          await settleUnits(scope, { tenantId, kind, key, units, now: now() })
          return
        }
        await insertConsumption(scope, {
          id: newId(now()),
          tenantId,
          at: new Date(now()),
          item: kind,
          quantity: units,
          unit: '',
          unitPriceFen: Math.round(paid.fen / Math.max(1, units)),
          amountFen: paid.fen,
          balanceAfterFen: paid.afterFen,
          objectKind: 'message',
          objectId: key.split(':')[0] ?? key,
          objectName: '',
          periodFrom: null,
          periodTo: null,
          orderId: null,
          orderNo: '',
          transactionId: paid.id,
        })
      }),
    release: (tenantId, key) =>
      inMoney(async scope => {
        const paid = await chargedByKey(scope, tenantId, paidKey(key))
        if (!paid) return releaseUnits(scope, { tenantId, key })
        await move(scope, {
          tenantId,
          kind: 'refund',
          key: `${paidKey(key)}:back`,
          cause: { kind: 'message', id: key },
          actor: systemContext(tenantId, 'urgent message', now()).actor,
          entries: { available: paid.fen, income: -paid.fen },
        })
      }),
  }
}

const paidKey = (ref: string) => `message-units:${ref}`

/** Fen for one unit in the cheapest pack that is for sale, rounded up; null: none is. */
async function unitPrice(scope: SystemScope, kind: UnitKind): Promise<number | null> {
  const packs = (await catalogue.published(scope)).filter(item => item.kind === kind)
  const prices = packs.map(item => Math.ceil(item.priceFen / (item.spec as PackSpec).units))
  return prices.length === 0 ? null : Math.min(...prices)
}
