import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { CompanyQuotas } from '@thingwright/contracts/company-settings'
import type { TokenReply } from '@thingwright/contracts/identity.contract'
import type { CompanyDetail, CompanyRow, operatorContract } from '@thingwright/contracts/operator.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { StreamReply } from '../../lib/http.ts'
import { randomKey } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import { everyRow, tableExport } from '../../lib/table-export/table-export.ts'
import type { Inbox } from '../notifications/index.ts'
import {
  changeSection,
  operatorNotice,
  type QuotasService,
  readSettings,
  type SupportAccess,
  type SupportService,
  setCompanySettings,
  setCompanyState,
  toCompanyView,
} from '../tenants/index.ts'
import * as repo from './companies.repo.ts'
import words from './operator-words.json' with { type: 'json' }

type Contract = typeof operatorContract

export interface CompaniesDeps {
  database: Database
  inbox: Inbox
  quotas: Pick<QuotasService, 'usage'>
  support: Pick<SupportService, 'running'>
  /** Makes a company with its roles and its owner; the id. */
  makeCompany(
    scope: SystemScope,
    company: {
      name: string
      status: string
      owner: { username: string; passwordHash: string; displayName: string; kind: 'member' }
    },
  ): Promise<string>
  hashPassword(password: string): Promise<string>
  supportToken(ctx: Ctx, access: SupportAccess): Promise<TokenReply>
}

export interface CompaniesService {
  list(ctx: Ctx, input: QueryOf<Contract['companies']>): Promise<ResponseOf<Contract['companies']>>
  export(ctx: Ctx, input: QueryOf<Contract['exportCompanies']>): Promise<StreamReply>
  get(ctx: Ctx, id: string): Promise<CompanyDetail>
  create(ctx: Ctx, input: BodyOf<Contract['createCompany']>): Promise<ResponseOf<Contract['createCompany']>>
  setTerm(ctx: Ctx, id: string, input: BodyOf<Contract['setTerm']>): Promise<CompanyDetail>
  freeze(ctx: Ctx, id: string, reason: string): Promise<CompanyDetail>
  unfreeze(ctx: Ctx, id: string): Promise<CompanyDetail>
  setQuotas(ctx: Ctx, id: string, change: Partial<CompanyQuotas>): Promise<CompanyDetail>
  /** @throws AppError support.no_consent */
  enter(ctx: Ctx, id: string): Promise<TokenReply>
}

export function createCompaniesService(deps: CompaniesDeps): CompaniesService {
  const { database, inbox } = deps
  const system = <T>(work: (scope: SystemScope) => Promise<T>) => database.withSystemScope('operator', work)

  async function existing(scope: SystemScope, id: string, lock = false): Promise<repo.CompanyListRow> {
    const row = await repo.findCompanyById(scope, id, lock)
    if (!row) throw new AppError('operator.company_not_found')
    if (lock && row.kind === 'platform') throw new AppError('operator.platform_company')
    return row
  }

  async function get(ctx: Ctx, id: string): Promise<CompanyDetail> {
    const { row, owners } = await system(async scope => {
      const row = await existing(scope, id)
      return { row, owners: await repo.ownersOf(scope, id) }
    })
    const access = await deps.support.running(id, ctx.now)
    return {
      company: { ...toCompanyView(row), kind: row.kind, frozenReason: row.frozenReason, graceDays: row.graceDays },
      quotas: readSettings(row.settings).quotas,
      usage: await deps.quotas.usage({ tenantId: id, now: ctx.now }),
      owners: owners.map(owner => ({ ...owner, lastLoginAt: owner.lastLoginAt?.toISOString() ?? null })),
      support: access && { mayWrite: access.mayWrite, expiresAt: new Date(access.expiresAt).toISOString() },
    }
  }

  /** What an operator does to a company stands in its log and in the platform's. */
  async function audit(
    scope: SystemScope,
    ctx: Ctx,
    row: Pick<repo.CompanyListRow, 'id' | 'name'>,
    record: { action: string; before?: Record<string, unknown>; after?: Record<string, unknown> },
  ): Promise<void> {
    const line = { ...record, objectType: 'company', objectId: row.id, objectName: row.name }
    await recordAudit(scope, { ...ctx, tenantId: row.id }, line)
    await recordAudit(scope, ctx, line)
  }

  async function changeState(
    ctx: Ctx,
    id: string,
    action: string,
    work: (row: repo.CompanyListRow) => {
      set: Partial<Parameters<typeof setCompanyState>[2]>
      notice: ReturnType<typeof operatorNotice>
    },
  ): Promise<CompanyDetail> {
    await system(async scope => {
      const before = await existing(scope, id, true)
      const { set, notice } = work(before)
      const { status, statusBefore, frozenReason, expiresAt, graceEndsAt, graceDays } = before
      await setCompanyState(scope, id, {
        status,
        statusBefore,
        frozenReason,
        expiresAt,
        graceEndsAt,
        graceDays,
        ...set,
      })
      const after = await existing(scope, id)
      await audit(scope, ctx, before, { action, before: stateFacts(before), after: stateFacts(after) })
      await inbox.notify(scope, notice)
      scope.tell('company.changed', { tenantId: id })
    })
    return get(ctx, id)
  }

  async function list(_ctx: Ctx, input: QueryOf<Contract['companies']>) {
    const limit = input.limit ?? 20
    const sort = parseSort(input.sort, repo.COMPANY_SORTS, '-createdAt')
    const order = `${sort.descending ? '-' : ''}${sort.key}`
    const after = decodeCursor(input.cursor, 3) as [string, string, string] | null
    if (after && (after[0] !== order || after.some(part => typeof part !== 'string')))
      throw new AppError('request.cursor_invalid')
    const filter: repo.CompanyFilter = {
      ...(input.status ? { status: input.status } : {}),
      ...(input.verification ? { verification: input.verification } : {}),
      ...(input.q ? { needle: normaliseForSearch(input.q) } : {}),
    }
    return readFrom(input.cursor, () =>
      system(async scope => {
        const rows = await repo.listCompanies(scope, filter, sort, after ? [after[1], after[2]] : null, limit + 1)
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toRow),
          nextCursor: rows.length > limit && last ? encodeCursor([order, last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await repo.countCompanies(scope, filter) } : {}),
        }
      }),
    )
  }

  return {
    list,
    async export(ctx, { format, ...filter }) {
      const titles = words.columns[ctx.locale]
      const type = {
        expiresAt: 'time',
        lastActivityAt: 'time',
        createdAt: 'time',
        devices: 'number',
        members: 'number',
      } as const
      return tableExport({
        format,
        fileName: words.companies[ctx.locale],
        columns: Object.entries(titles).map(([key, title]) => ({
          key,
          title,
          type: type[key as keyof typeof type] ?? ('text' as const),
        })),
        rows: everyRow(cursor => list(ctx, { ...filter, limit: 100, ...(cursor ? { cursor } : {}) })),
      })
    },
    get,
    async create(ctx, input) {
      const expiresAt = checkEnd(ctx, input.expiresAt)
      const password = randomKey(14)
      const passwordHash = await deps.hashPassword(password)
      const id = await system(async scope => {
        const id = await deps.makeCompany(scope, {
          name: input.name.trim(),
          status: input.status,
          owner: { username: input.username, passwordHash, displayName: input.displayName ?? '', kind: 'member' },
        })
        // A user name belongs to one person of the installation: with a taken one no owner was made.
        if ((await repo.ownersOf(scope, id)).length === 0)
          throw new AppError('auth.username_taken', { fields: { username: { code: 'auth.username_taken' } } })
        const row = await existing(scope, id)
        await setCompanyState(scope, id, {
          status: input.status,
          statusBefore: null,
          frozenReason: null,
          expiresAt,
          graceEndsAt: null,
          graceDays: null,
        })
        await audit(scope, ctx, row, {
          action: 'operator.create',
          after: { status: input.status, expiresAt: input.expiresAt, owner: input.username },
        })
        return id
      })
      return { id, username: input.username, password }
    },

    setTerm: async (ctx, id, input) => {
      const expiresAt = checkEnd(ctx, input.expiresAt)
      const date = { zh: words.noEnd.zh, en: words.noEnd.en }
      const day = input.expiresAt?.slice(0, 10)
      return changeState(ctx, id, 'operator.term', row => {
        if (row.status === 'frozen') throw new AppError('operator.company_state', { params: { status: row.status } })
        const fresh = row.status === 'inactive' || row.status === 'expired'
        return {
          set: {
            status: input.status,
            expiresAt,
            graceEndsAt: null,
            ...(input.graceDays === undefined ? {} : { graceDays: input.graceDays }),
          },
          notice: operatorNotice(id, fresh ? 'activated' : 'extended', {
            date: day ?? `${date.zh} / ${date.en}`,
          }),
        }
      })
    },

    freeze: (ctx, id, reason) =>
      changeState(ctx, id, 'operator.freeze', row => {
        if (row.status === 'frozen') throw new AppError('operator.company_state', { params: { status: row.status } })
        return {
          set: { status: 'frozen', statusBefore: row.status, frozenReason: reason.trim() },
          notice: operatorNotice(id, 'frozen', { reason: reason.trim() }),
        }
      }),

    unfreeze: (ctx, id) =>
      changeState(ctx, id, 'operator.unfreeze', row => {
        if (row.status !== 'frozen') throw new AppError('operator.company_state', { params: { status: row.status } })
        return {
          set: { status: row.statusBefore ?? 'inactive', statusBefore: null, frozenReason: null },
          notice: operatorNotice(id, 'unfrozen'),
        }
      }),

    async setQuotas(ctx, id, change) {
      await system(async scope => {
        const row = await existing(scope, id, true)
        const before = readSettings(row.settings)
        const quotas = changeSection('quotas', before.quotas, change)
        await setCompanySettings(scope, id, { ...before, quotas })
        await audit(scope, ctx, row, {
          action: 'operator.quotas',
          before: { ...before.quotas },
          after: { ...quotas },
        })
        await inbox.notify(scope, operatorNotice(id, 'quotas'))
      })
      return get(ctx, id)
    },

    async enter(ctx, id) {
      const access = await deps.support.running(id, ctx.now)
      if (!access) {
        await system(scope => existing(scope, id))
        throw new AppError('support.no_consent')
      }
      if (ctx.actor.kind !== 'operator') throw new AppError('permission.denied')
      const token = await deps.supportToken(ctx, access)
      const mode = access.mayWrite ? words.writing : words.reading
      const { displayName, username } = ctx.actor
      await system(async scope => {
        await audit(
          scope,
          ctx,
          { id, name: access.companyName },
          {
            action: 'operator.enter',
            after: { mayWrite: access.mayWrite, until: new Date(access.expiresAt).toISOString() },
          },
        )
        await inbox.notify(
          scope,
          operatorNotice(id, 'entered', { name: displayName || username, mode: `${mode.zh} / ${mode.en}` }),
        )
      })
      return token
    },
  }
}

/** @throws AppError operator.term_invalid */
function checkEnd(ctx: Ctx, end: string | null): Date | null {
  if (end === null) return null
  const at = new Date(end)
  if (!(at.getTime() > ctx.now))
    throw new AppError('operator.term_invalid', { fields: { expiresAt: { code: 'operator.term_invalid' } } })
  return at
}

function stateFacts(row: repo.CompanyListRow): Record<string, unknown> {
  return {
    status: row.status,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    graceDays: row.graceDays,
    reason: row.frozenReason,
  }
}

function toRow(row: repo.CompanyListRow): CompanyRow {
  return {
    id: row.id,
    appId: row.appId,
    name: row.name,
    kind: row.kind,
    status: row.status,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    graceEndsAt: row.graceEndsAt?.toISOString() ?? null,
    verification: row.verification ?? 'unverified',
    contactName: row.contactName,
    contactPhone: row.contactPhone,
    devices: row.devices,
    members: row.members,
    lastActivityAt: row.lastActivityAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
