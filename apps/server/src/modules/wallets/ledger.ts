import type { EntryKind } from '@thingwright/contracts/money.words'
import { type Actor, actorId, actorName } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Runner } from '../../lib/sql/statement.ts'
import * as repo from './ledger.repo.ts'

/** Where money of a movement comes from or goes to, beside the wallet: paid in, earned, given, corrected. */
export type OtherAccount = 'payments' | 'income' | 'gifts' | 'adjustments'

export interface Movement {
  tenantId: string
  kind: EntryKind
  /** Whose wallet moves; absent: the company's. What an end user used he owes: his may go below nothing. */
  endUserId?: string
  /** The same key moves money once, however often it is asked. */
  key: string
  cause: { kind: string; id: string; no?: string }
  actor: Actor
  remark?: string
  /** When it is said to have happened; absent: now. Only the demo writes a past. */
  at?: Date
  /**
   * What changes; added up it is nothing. `available` and `frozen` are the wallet. In fen, whole numbers;
   * parts of nothing are left out.
   */
  entries: Partial<Record<'available' | 'frozen' | OtherAccount, number>>
}

export interface Moved {
  id: string
  /** False: this movement had been made before, and nothing was moved. */
  fresh: boolean
  /** The balance afterwards, when the movement touched it. */
  availableFen: number | null
}

/** `1234` fen as `12.34`, for messages. */
export const yuan = (fen: number): string => {
  const sign = fen < 0 ? '-' : ''
  const whole = Math.abs(fen)
  return `${sign}${Math.trunc(whole / 100)}.${String(whole % 100).padStart(2, '0')}`
}

/**
 * Moves money within the caller's transaction, double entry, once for each key.
 * @throws AppError wallet.insufficient with {available, needed} in yuan, wallet.amount_invalid
 */
export async function move(scope: Runner, movement: Movement): Promise<Moved> {
  const parts = Object.entries(movement.entries).filter(([, fen]) => fen !== 0) as [repo.NewEntry['account'], number][]
  if (parts.length === 0 || parts.some(([, fen]) => !Number.isSafeInteger(fen)))
    throw new AppError('wallet.amount_invalid')
  const known = await repo.transactionByKey(scope, movement.tenantId, movement.key)
  if (known) return { id: known, fresh: false, availableFen: null }
  const touches = parts.some(([account]) => account === 'available' || account === 'frozen')
  const wallet = touches ? await held(scope, movement) : null
  const id = newId()
  const fresh = await repo.insertTransaction(scope, {
    id,
    tenantId: movement.tenantId,
    kind: movement.kind,
    key: movement.key,
    causeKind: movement.cause.kind,
    causeId: movement.cause.id,
    causeNo: movement.cause.no ?? '',
    actorKind: movement.actor.kind,
    actorId: actorId(movement.actor),
    actorName: actorName(movement.actor) ?? '',
    remark: movement.remark ?? '',
    at: movement.at ?? null,
  })
  if (!fresh) {
    // Somebody else made it meanwhile; his transaction has ended, for the key waited for it.
    const made = await repo.transactionByKey(scope, movement.tenantId, movement.key)
    return { id: made ?? id, fresh: false, availableFen: null }
  }
  const taken = movement.entries.available ?? 0
  if (wallet && movement.endUserId === undefined && taken < 0 && wallet.availableFen + wallet.creditFen + taken < 0)
    throw new AppError('wallet.insufficient', {
      params: { available: yuan(wallet.availableFen + wallet.creditFen), needed: yuan(-taken) },
    })
  const rows = await repo.insertEntries(
    scope,
    movement.tenantId,
    id,
    movement.kind,
    parts.map(([account, amount_fen]) => ({
      account,
      wallet_id: account === 'available' || account === 'frozen' ? wallet!.id : null,
      amount_fen,
    })),
    movement.at ?? null,
  )
  return { id, fresh: true, availableFen: rows.find(({ account }) => account === 'available')?.afterFen ?? null }
}

const held = (scope: Runner, { tenantId, endUserId }: Movement) =>
  endUserId === undefined
    ? repo.holdWallet(scope, tenantId, newId())
    : repo.holdEndUserWallet(scope, tenantId, endUserId, newId())
