import { recordAudit } from '../../lib/audit.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import type { Inbox } from '../notifications/index.ts'
import * as repo from './company-state.repo.ts'
import { afterTime, noticeDue, type Term } from './company-states.ts'
import { endNotice, stateNotice } from './company-words.ts'

export interface CompanyStateJobDeps {
  database: Database
  inbox: Inbox
}

export interface CompanyStateJob {
  /**
   * Brings every company to the state that its term says, and tells those whose term ends in 7, 3 or 1 days. May be run by
   * several processes at once and as often as one likes.
   * @param now epoch ms
   * @returns number of companies whose state changed
   */
  run(now: number): Promise<number>
}

const AHEAD_MS = 8 * 86_400_000

export function createCompanyStateJob({ database, inbox }: CompanyStateJobDeps): CompanyStateJob {
  async function oneCompany(scope: SystemScope, row: repo.TermRow, now: number): Promise<boolean> {
    const before = toTerm(row)
    const after = afterTime(before, now)
    const changed = after.status !== before.status
    if (changed) {
      await repo.setTerm(scope, row.id, {
        status: after.status,
        graceEndsAt: after.graceEndsAt === null ? null : new Date(after.graceEndsAt),
      })
      await recordAudit(scope, systemContext(row.id, 'company-term', now), {
        action: 'company.state',
        objectType: 'company',
        objectId: row.id,
        objectName: row.name,
        before: { status: before.status, expiresAt: row.expiresAt?.toISOString() ?? null },
        after: {
          status: after.status,
          graceEndsAt: after.graceEndsAt === null ? null : new Date(after.graceEndsAt).toISOString(),
        },
      })
      await inbox.notify(scope, stateNotice(row.id, after, row.timeZone))
      scope.tell('company.changed', { tenantId: row.id })
    }
    const days = noticeDue(after, now, row.timeZone)
    const end = after.status === 'grace' ? after.graceEndsAt : after.expiresAt
    if (days !== null && end !== null && (await repo.tellOnce(scope, row.id, 'term', `${after.status}:${end}:${days}`)))
      await inbox.notify(scope, endNotice(row.id, after, end, now, row.timeZone))
    return changed
  }

  return {
    async run(now) {
      const ids = await database.withSystemScope('maintenance', scope =>
        repo.companiesToLookAt(scope, new Date(now + AHEAD_MS)),
      )
      let changed = 0
      // One transaction each: a company that fails holds up no other.
      for (const id of ids) {
        const done = await database.withSystemScope('maintenance', async scope => {
          const row = await repo.lockTerm(scope, id)
          return row ? oneCompany(scope, row, now) : false
        })
        if (done) changed++
      }
      return changed
    },
  }
}

function toTerm(row: repo.TermRow): Term {
  return {
    status: row.status,
    expiresAt: row.expiresAt?.getTime() ?? null,
    graceEndsAt: row.graceEndsAt?.getTime() ?? null,
    graceDays: row.graceDays,
  }
}
