import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TaskHandler } from '../tasks/index.ts'
import * as accounts from './accounts.repo.ts'
import { tellAlerts } from './alerts.ts'
import * as cards from './cards.repo.ts'
import { CarrierError } from './carrier.port.ts'
import type { Carriers } from './carriers.ts'
import { learnReading } from './learn.ts'

export interface SyncDeps {
  database: Database
  carriers: Carriers
  inbox: Inbox
  now(): number
}

const PAGE = 50
/** Faults of the account or the carrier one after the other, after which it makes no sense to go on. */
const MOST_FAULTS = 10
/** Cards that are looked after beside, each quarter of an hour. */
const BESIDE = 60
const FRESH_MS = 6 * 3_600_000
/** Asking a simulated carrier costs nothing. */
const FRESH_SIMULATED_MS = 600_000

/** Asks the carrier about one card and keeps what it says. @throws CarrierError, after its words were kept beside the card */
export async function syncCard(deps: SyncDeps, account: accounts.AccountRow, card: cards.CardRow): Promise<void> {
  const { database, carriers, now } = deps
  try {
    const reading = await carriers.of(account).read(card)
    await database.withSystemScope('sim-cards', async scope => {
      const learned = await learnReading(scope, card, reading, now())
      await tellAlerts(scope, deps, learned, account)
    })
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error
    const lasting = !error.passing && error.fault !== 'credentials'
    await database.withSystemScope('sim-cards', async scope => {
      await cards.learn(scope, card.id, {
        syncFault: [error.code, error.text].filter(Boolean).join(' '),
        // One that the carrier does not know is asked about and done; one that it could not answer for comes again.
        ...(lasting ? { syncedAt: new Date(now()) } : {}),
        ...(error.fault === 'card_unknown' ? { state: 'unknown' } : {}),
      })
      if (error.fault === 'credentials')
        await accounts.note(scope, account.id, { kind: error.fault, code: error.code, text: error.text })
    })
    throw error
  }
}

/**
 * Every card of an account, once: which of them are left is read from the cards themselves, so that the work goes on where
 * it was when its process was killed.
 */
export function syncHandler(deps: SyncDeps): TaskHandler {
  const { database } = deps
  return {
    needs: () => ['sim-card:write'],
    wholeCompany: true,
    resumable: true,
    retryable: false,
    async run(task) {
      const { accountId, from } = task.input as { accountId: string; from: string }
      const since = new Date(from)
      const account = await database.withTenant(task.ctx, scope => accounts.find(scope, accountId))
      if (!account) throw new AppError('carrier.not_found')
      let faults = 0
      let failed = 0
      const asked = new Set<string>()
      for (;;) {
        const page = await database.withTenant(task.ctx, scope => cards.stale(scope, accountId, since, PAGE))
        const left = page.filter(card => !asked.has(card.id))
        if (left.length === 0) break
        for (const card of left) {
          if (task.cancelled()) return { summary: { failed } }
          asked.add(card.id)
          try {
            await syncCard(deps, account, card)
            faults = 0
          } catch (error) {
            if (!(error instanceof CarrierError)) throw error
            failed++
            task.failed(card.iccid, 'carrier.failed', { text: [error.code, error.text].filter(Boolean).join(' ') })
            if (error.fault === 'credentials' || (error.passing && ++faults >= MOST_FAULTS))
              throw new AppError('carrier.failed', { params: { text: error.text } })
          }
          if (asked.size % 10 === 0) await report()
        }
        await report()
      }
      await database.withSystemScope('sim-cards', scope => accounts.noteSync(scope, accountId, new Date(deps.now())))
      return { summary: { failed } }

      async function report(): Promise<void> {
        const { left, total } = await database.withTenant(task.ctx, scope => cards.staleLeft(scope, accountId, since))
        task.progress(total - left, total)
      }
    },
  }
}

/** Some cards that were not asked about for long, of each account that works. */
export async function syncBeside(deps: SyncDeps, tenantId: string): Promise<void> {
  const { database, now } = deps
  const all = await database.withTenant({ tenantId }, scope => accounts.list(scope))
  for (const account of all) {
    if (account.state === 'disabled' || account.fault?.kind === 'credentials') continue
    const due = await database.withTenant({ tenantId }, scope =>
      cards.stale(scope, account.id, new Date(now() - (account.simulated ? FRESH_SIMULATED_MS : FRESH_MS)), BESIDE),
    )
    for (const card of due)
      try {
        await syncCard(deps, account, card)
      } catch (error) {
        if (!(error instanceof CarrierError)) throw error
        if (error.passing || error.fault === 'credentials') break
      }
  }
}
