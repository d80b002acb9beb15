import type { ResponseOf } from '@thingwright/contracts'
import type { securityContract } from '@thingwright/contracts/security.contract'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { Inbox } from '../notifications/index.ts'
import { OWNER, rolesOf } from '../roles/index.ts'
import * as repo from './closing.repo.ts'
import { loginIdOf, personOf } from './proofs.ts'
import type { SecurityRow } from './security.repo.ts'
import { noticeWords, type SecurityMessages } from './security-messages.ts'
import { endSessions } from './sessions.repo.ts'

/** Days in which the owner may take the closing back. */
export const COOLING_OFF_DAYS = 7
/** Hours between freezing and deleting: devices are refused by then, nothing is on its way any more. */
const FROZEN_HOURS = 24
/** What stays, in the words of the page. */
const STAYS = ['operation_log', 'consents']

export interface Closing {
  closeOwn(ctx: Ctx, username: string): Promise<{ ok: boolean }>
  preview(ctx: Ctx): Promise<ResponseOf<(typeof securityContract)['closePreview']>>
  closeCompany(ctx: Ctx, name: string): Promise<{ dueAt: string }>
  keepCompany(ctx: Ctx): Promise<{ ok: boolean }>
  /** What the overview says about closing. */
  stateOf(
    scope: SystemScope,
    row: SecurityRow,
  ): Promise<{
    closing: { dueAt: string } | null
    mayCloseCompany: boolean
    closeOwnBlocked: 'last_owner' | 'operator' | null
  }>
  /** Freezes and deletes what is due. May be run by several processes and as often as one likes. */
  sweep(): Promise<{ frozen: number; purged: number }>
}

export interface ClosingDeps {
  database: Database
  inbox: Inbox
  messages: SecurityMessages
  requireFreshProof(ctx: Ctx): Promise<void>
  forget(loginId?: string): void
  /** After the rows are gone: telemetry and files of the company. */
  purgeCompany(tenantId: string): Promise<void>
  logger: Logger
  now(): number
}

export function createClosing(deps: ClosingDeps): Closing {
  const { database, now } = deps
  const inSystem = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('maintenance', work)

  async function owner(scope: SystemScope, ctx: Ctx): Promise<SecurityRow> {
    const row = await personOf(scope, loginIdOf(ctx))
    const roles = await rolesOf(scope, row.id)
    if (row.kind !== 'member' || !roles.some(role => role.key === OWNER)) throw new AppError('security.owner_only')
    return row
  }
  const audit = (scope: SystemScope, ctx: Ctx, action: string, row: SecurityRow, more: object) =>
    recordAudit(scope, ctx, {
      action,
      objectType: 'company',
      objectId: row.tenant_id,
      objectName: row.tenant_name,
      ...more,
    })

  async function ownBlocked(scope: SystemScope, row: SecurityRow): Promise<'last_owner' | 'operator' | null> {
    if (row.kind === 'operator') return 'operator'
    const owners = await repo.ownersOf(scope, row.tenant_id)
    return owners.length === 1 && owners[0]!.id === row.id ? 'last_owner' : null
  }

  async function purge(tenantId: string): Promise<boolean> {
    const done = await inSystem(async scope => {
      const row = await repo.closingOf(scope, tenantId, true)
      if (!row?.frozen_at || row.purged_at) return false
      await repo.queueDevicePurges(scope, tenantId)
      // In the order in which nothing points at what goes: found by trying, so that new tables need no list here.
      const tables = await repo.companyTables(scope)
      let waiting = tables
      const removed: Record<string, number> = {}
      while (waiting.length > 0) {
        const blocked: string[] = []
        for (const table of waiting) {
          const count = await repo.emptyTable(scope, table, tenantId)
          if (count === null) blocked.push(table)
          else if (count > 0) removed[table] = count
        }
        if (blocked.length === waiting.length)
          throw new Error(`rows of a closed company hold each other: ${blocked.join(', ')}`)
        waiting = blocked
      }
      // Triggers wrote while rows went (counters of use): now that nothing is left, these go too.
      for (const table of tables) await repo.emptyTable(scope, table, tenantId)
      await repo.tombstone(scope, tenantId, new Date(now()))
      await recordAudit(scope, systemContext(tenantId, 'company-closing', now()), {
        action: 'company.purge',
        objectType: 'company',
        objectId: tenantId,
        after: removed,
      })
      return true
    })
    return done
  }

  /** Deletes objects outside the database. May be repeated: an object that is deleted already is no error. */
  async function empty(tenantId: string): Promise<void> {
    await deps.purgeCompany(tenantId)
    await inSystem(scope => repo.markEmptied(scope, tenantId, new Date(now())))
  }

  return {
    async closeOwn(ctx, username) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await personOf(scope, loginIdOf(ctx))
        if (username.trim() !== row.username) throw mismatch('username')
        if ((await ownBlocked(scope, row)) !== null) throw new AppError('security.last_owner')
        await endSessions(scope, row.id, new Date(now()), { except: null }, 'login_closed')
        await repo.anonymise(scope, row.id, new Date(now()))
        await recordAudit(scope, ctx, {
          action: 'security.login_close',
          objectType: 'login',
          objectId: row.id,
          objectName: row.username,
        })
        scope.afterCommit(() => deps.forget(row.id))
        return { ok: true }
      })
    },

    preview: ctx =>
      inSystem(async scope => {
        const row = await owner(scope, ctx)
        const closing = await repo.closingOf(scope, row.tenant_id)
        return {
          name: row.tenant_name,
          dueAt: closing?.due_at.toISOString() ?? null,
          coolingOffDays: COOLING_OFF_DAYS,
          goes: await repo.holdings(scope, row.tenant_id),
          stays: STAYS,
        }
      }),

    async closeCompany(ctx, name) {
      await deps.requireFreshProof(ctx)
      return inSystem(async scope => {
        const row = await owner(scope, ctx)
        if (name.trim() !== row.tenant_name) throw mismatch('name')
        const dueAt = new Date(now() + COOLING_OFF_DAYS * 86_400_000)
        const made = await repo.insertClosing(scope, {
          tenant_id: row.tenant_id,
          requested_by: row.id,
          requested_at: new Date(now()),
          due_at: dueAt,
        })
        if (!made) throw new AppError('security.closing_pending')
        await audit(scope, ctx, 'security.company_close', row, { after: { dueAt: dueAt.toISOString() } })
        const at = dueAt.toISOString().slice(0, 16).replace('T', ' ')
        await deps.inbox.notify(scope, {
          tenantId: row.tenant_id,
          to: { everyone: true },
          kind: 'company.closing',
          ...noticeWords('closing', { username: row.username, at }),
          link: '/admin/security?tab=closing',
          level: 'error',
        })
        const owners = await repo.ownersOf(scope, row.tenant_id)
        scope.afterCommit(() => {
          const facts = { username: row.username, company: row.tenant_name, at }
          for (const one of owners) deps.messages.mail(one.email, 'closing', one.locale, facts)
        })
        return { dueAt: dueAt.toISOString() }
      })
    },

    keepCompany: ctx =>
      inSystem(async scope => {
        const row = await owner(scope, ctx)
        const closing = await repo.closingOf(scope, row.tenant_id, true)
        if (!closing || closing.frozen_at) throw new AppError('security.not_closing')
        await repo.deleteClosing(scope, row.tenant_id)
        await audit(scope, ctx, 'security.company_keep', row, { before: { dueAt: closing.due_at.toISOString() } })
        return { ok: true }
      }),

    async stateOf(scope, row) {
      const closing = await repo.closingOf(scope, row.tenant_id)
      const roles = await rolesOf(scope, row.id)
      return {
        closing: closing && { dueAt: closing.due_at.toISOString() },
        mayCloseCompany: row.kind === 'member' && roles.some(role => role.key === OWNER),
        closeOwnBlocked: await ownBlocked(scope, row),
      }
    },

    async sweep() {
      const due = await inSystem(scope => repo.dueToFreeze(scope, new Date(now())))
      for (const tenantId of due)
        await inSystem(async scope => {
          const row = await repo.closingOf(scope, tenantId, true)
          // Taken back, or done by another process, in the meantime.
          if (!row || row.frozen_at) return
          await repo.freezeCompany(scope, tenantId, new Date(now()))
          await recordAudit(scope, systemContext(tenantId, 'company-closing', now()), {
            action: 'company.state',
            objectType: 'company',
            objectId: tenantId,
            after: { status: 'frozen', reason: 'closing' },
          })
          scope.afterCommit(() => deps.forget())
          scope.tell('company.changed', { tenantId })
        })
      const gone = await inSystem(scope => repo.dueToPurge(scope, new Date(now() - FROZEN_HOURS * 3_600_000)))
      let purged = 0
      for (const tenantId of gone) {
        try {
          if (await purge(tenantId)) purged += 1
        } catch (error) {
          deps.logger.error({ err: error, tenantId }, 'a closed company was not deleted; tried again later')
        }
      }
      for (const tenantId of await inSystem(scope => repo.notEmptied(scope))) {
        try {
          await empty(tenantId)
        } catch (error) {
          deps.logger.error({ err: error, tenantId }, 'files of a closed company are not gone; tried again later')
        }
      }
      return { frozen: due.length, purged }
    },
  }
}

function mismatch(field: string): AppError {
  return new AppError('security.name_mismatch', { fields: { [field]: { code: 'security.name_mismatch' } } })
}
