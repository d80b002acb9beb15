import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  API_KEY_STATES,
  ApiKeyView,
  ApiKeyWithSecret,
  apiKeysContract,
} from '@thingwright/contracts/developer.contract'
import { NOT_FOR_API_KEYS, PERMISSIONS, type Permission } from '@thingwright/contracts/permissions'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, customerOf, type EndUserActor, type MemberActor, ownerIdOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort } from '../../lib/lists/paging.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import type { StandingOf } from '../end-users/standing.port.ts'
import { readNetwork } from '../identity/index.ts'
import { isGrantable, permissionsOf, rolesOf } from '../roles/index.ts'
import { effectiveScopes, rightsOfStanding } from './api-key-gate.ts'
import { newKeyText } from './api-key-text.ts'
import * as repo from './api-keys.repo.ts'
import { keyScope } from './key-scope.ts'

type Contract = typeof apiKeysContract
type KeyState = (typeof API_KEY_STATES)[number]
type KeyInput = Partial<BodyOf<Contract['create']>>

/** Living keys of a company's people, and of one end user. */
export const MAX_KEYS = 50
const MAX_KEYS_OF_ONE = 10
/** With revoked ones, which are listed until somebody removes them. */
const MAX_ROWS = 500
const DEFAULT_PER_MINUTE = 600
const HOUR_MS = 3_600_000
const NEVER: ReadonlySet<string> = new Set(NOT_FOR_API_KEYS)

export interface ApiKeysService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** The key that asks. @throws AppError api_key.not_found for people */
  current(ctx: Ctx): Promise<ApiKeyView>
  get(ctx: Ctx, id: string): Promise<ApiKeyView>
  /** @throws AppError api_key.*, security.network_invalid, auth.proof_required */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<ApiKeyWithSecret>
  /** Only the member it stands on changes a key; others take it over first. @throws AppError as create, version.conflict */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<ApiKeyView>
  /** @throws AppError api_key.not_yours, api_key.not_active, auth.proof_required */
  rotate(ctx: Ctx, id: string, input: BodyOf<Contract['rotate']>): Promise<ApiKeyWithSecret>
  endOverlap(ctx: Ctx, id: string): Promise<ApiKeyView>
  takeOver(ctx: Ctx, id: string): Promise<ApiKeyView>
  revoke(ctx: Ctx, id: string): Promise<ApiKeyView>
  /** @throws AppError api_key.still_active */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface ApiKeysDeps {
  database: Database
  standingOf: StandingOf
  requireFreshProof(ctx: Ctx): Promise<void>
  /** After the commit. */
  onChanged(keyId: string): void
  /** Last uses and refusals that are still in memory are written. */
  flush(): Promise<void>
}

export function createApiKeysService(deps: ApiKeysDeps): ApiKeysService {
  const { database } = deps

  async function viewsOf(scope: TenantScope, ctx: Ctx, rows: readonly repo.KeyRow[]): Promise<ApiKeyView[]> {
    const rights = new Map<string, ReadonlySet<Permission>>()
    for (const row of rows) if (!rights.has(row.made_by)) rights.set(row.made_by, await rightsOf(scope, ctx, row))
    return rows.map(row => toView(ctx, row, rights.get(row.made_by)!))
  }

  async function rightsOf(scope: TenantScope, { actor }: Ctx, row: repo.KeyRow): Promise<ReadonlySet<Permission>> {
    const { made_by: id, maker_kind: kind, maker_state: state } = row
    if (state !== 'active') return new Set()
    if (kind !== 'end_user') return permissionsOf(await rolesOf(scope, id), false)
    // An end user cannot read the end users above, whose rights limit this one too.
    if (actor.kind === 'end_user' && actor.loginId === id) return actor.permissions
    const standing = await deps.standingOf(scope, id)
    return standing ? rightsOfStanding(standing) : new Set()
  }

  async function viewOf(scope: TenantScope, ctx: Ctx, id: string): Promise<ApiKeyView> {
    const row = await repo.findKey(scope, id)
    if (!row) throw new AppError('api_key.not_found')
    return (await viewsOf(scope, ctx, [row]))[0]!
  }

  /** One change of a key that is there: locked, written into the operation log, and known everywhere afterwards. */
  function change<T>(
    ctx: Ctx,
    id: string,
    action: string,
    work: (scope: TenantScope, before: repo.KeyRow, actor: Maker) => Promise<T>,
  ): Promise<{ view: ApiKeyView; result: T }> {
    const actor = memberOf(ctx)
    return database.withTenant(ctx, async scope => {
      const before = await repo.lockKey(scope, id)
      if (!before) throw new AppError('api_key.not_found')
      const result = await work(scope, before, actor)
      const after = await repo.findKey(scope, id)
      await recordAudit(scope, ctx, {
        action,
        objectType: 'api_key',
        objectId: id,
        objectName: before.name,
        before: auditFacts(before),
        after: after ? auditFacts(after) : null,
      })
      scope.afterCommit(() => deps.onChanged(id))
      return { view: (await viewsOf(scope, ctx, [after ?? before]))[0]!, result }
    })
  }

  /** What was given, checked against what the caller has himself. */
  async function checked(
    scope: TenantScope,
    ctx: Ctx,
    actor: Maker,
    input: KeyInput,
    before: repo.KeyFacts | null,
  ): Promise<repo.KeyFacts> {
    const facts: repo.KeyFacts = {
      name: (input.name ?? before?.name ?? '').normalize('NFC').trim(),
      description: input.description?.normalize('NFC').trim() ?? before?.description ?? '',
      environment: input.environment ?? before?.environment ?? 'production',
      scopes: input.scopes ? checkScopes(input.scopes) : before!.scopes,
      dataScope: input.dataScope ?? before?.dataScope ?? { kind: 'all' },
      networks: input.networks ? input.networks.map(checkNetwork) : (before?.networks ?? []),
      requestsPerMinute: input.requestsPerMinute ?? before?.requestsPerMinute ?? DEFAULT_PER_MINUTE,
      expiresAt: input.expiresAt === undefined ? (before?.expiresAt ?? null) : toDate(input.expiresAt),
    }
    if (facts.name === '')
      throw new AppError('request.validation', { params: { count: 1 }, fields: { name: { code: 'field.required' } } })
    if (input.expiresAt && facts.expiresAt!.getTime() <= ctx.now)
      throw new AppError('api_key.expiry_past', { fields: { expiresAt: { code: 'api_key.expiry_past' } } })
    const missing = facts.scopes.filter(
      word => !actor.permissions.has(word as Permission) && !before?.scopes.includes(word),
    )
    if (missing.length > 0) throw new AppError('api_key.scope_beyond', { params: { missing: missing.join(', ') } })
    if (input.dataScope) {
      const { outside } = await keyScope(scope, scope.tenantId, facts.dataScope, actor.dataScope)
      if (outside.length > 0) throw new AppError('api_key.data_beyond')
    }
    return facts
  }

  return {
    async list(ctx, query) {
      await deps.flush()
      return database.withTenant(ctx, async scope => {
        const { key, descending } = parseSort(
          query.sort,
          ['createdAt', 'name', 'lastUsedAt', 'expiresAt'],
          '-createdAt',
        )
        const needle = normaliseForSearch(query.q ?? '')
        const matching = (await viewsOf(scope, ctx, await repo.allKeys(scope, userOf(ctx, query.userId))))
          .filter(view => query.state === undefined || view.state === query.state)
          .filter(
            view => needle === '' || [view.name, view.prefix].some(text => normaliseForSearch(text).includes(needle)),
          )
          .toSorted((a, b) => {
            const order = (a[key] ?? '').localeCompare(b[key] ?? '') || a.id.localeCompare(b.id)
            return descending ? -order : order
          })
        const limit = query.limit ?? 20
        const start = Number(decodeCursor(query.cursor, 1)?.[0] ?? 0)
        if (!Number.isSafeInteger(start) || start < 0) throw new AppError('request.cursor_invalid')
        const items = matching.slice(start, start + limit)
        return {
          items,
          nextCursor: start + limit < matching.length ? encodeCursor([start + limit]) : null,
          ...(query.total === '1' ? { total: matching.length } : {}),
          limit: userOf(ctx, query.userId) === null ? MAX_KEYS : MAX_KEYS_OF_ONE,
          grantable:
            ctx.actor.kind === 'member' || ctx.actor.kind === 'end_user'
              ? [...ctx.actor.permissions].filter(word => !NEVER.has(word))
              : [],
        }
      })
    },

    async current(ctx) {
      const { actor } = ctx
      if (actor.kind !== 'apiKey') throw new AppError('api_key.not_found')
      return database.withTenant({ tenantId: ctx.tenantId }, scope => viewOf(scope, ctx, actor.keyId))
    },

    async get(ctx, id) {
      await deps.flush()
      return database.withTenant(ctx, scope => viewOf(scope, ctx, id))
    },

    async create(ctx, input) {
      const actor = memberOf(ctx)
      await deps.requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        await repo.lockKeys(scope)
        const { living, all } = await repo.countKeys(scope, userOf(ctx, undefined))
        const most = actor.kind === 'end_user' ? MAX_KEYS_OF_ONE : MAX_KEYS
        if (living >= most || all >= MAX_ROWS)
          throw new AppError('api_key.too_many', { params: { limit: living >= most ? most : MAX_ROWS } })
        const facts = await checked(scope, ctx, actor, input, null)
        const { text, prefix, hash } = newKeyText()
        const id = newId(ctx.now)
        await repo.insertKey(scope, { ...facts, id, madeBy: actor.loginId, prefix, hash })
        const row = (await repo.findKey(scope, id))!
        await recordAudit(scope, ctx, {
          action: 'api_key.create',
          objectType: 'api_key',
          objectId: id,
          objectName: row.name,
          after: auditFacts(row),
        })
        return { ...(await viewsOf(scope, ctx, [row]))[0]!, key: text }
      })
    },

    async update(ctx, id, { version, ...input }) {
      const { view } = await change(ctx, id, 'api_key.update', async (scope, before, actor) => {
        mustBeMaker(before, actor)
        if (before.version !== version)
          throw new AppError('version.conflict', { params: { current: (await viewsOf(scope, ctx, [before]))[0]! } })
        if (before.revoked_at) throw new AppError('api_key.not_active')
        await repo.updateKey(scope, id, await checked(scope, ctx, actor, input, factsOf(before)))
      })
      return view
    },

    async rotate(ctx, id, { overlapHours = 24 }) {
      await deps.requireFreshProof(ctx)
      const { view, result } = await change(ctx, id, 'api_key.rotate', async (scope, before, actor) => {
        mustBeMaker(before, actor)
        if (stateOf(before, ctx.now) !== 'active') throw new AppError('api_key.not_active')
        const next = newKeyText()
        const previousUntil = overlapHours > 0 ? new Date(ctx.now + overlapHours * HOUR_MS) : null
        await repo.rotateKey(scope, id, { ...next, at: new Date(ctx.now), previousUntil })
        return next.text
      })
      return { ...view, key: result }
    },

    endOverlap: async (ctx, id) =>
      (await change(ctx, id, 'api_key.end_overlap', scope => repo.endOverlap(scope, id))).view,

    async takeOver(ctx, id) {
      await deps.requireFreshProof(ctx)
      const { view } = await change(ctx, id, 'api_key.take_over', async (scope, before, actor) => {
        // The program of a customer would act with the rights of the company.
        if (before.maker_kind === 'end_user') mustBeMaker(before, actor)
        if (before.revoked_at) throw new AppError('api_key.not_active')
        await repo.setMaker(scope, id, actor.loginId)
      })
      return view
    },

    revoke: async (ctx, id) =>
      (
        await change(ctx, id, 'api_key.revoke', async (scope, before) => {
          if (!before.revoked_at) await repo.revokeKey(scope, id, new Date(ctx.now))
        })
      ).view,

    async remove(ctx, id) {
      await change(ctx, id, 'api_key.remove', async (scope, before) => {
        const state = stateOf(before, ctx.now)
        if (state !== 'revoked' && state !== 'expired') throw new AppError('api_key.still_active')
        await repo.deleteKey(scope, id)
      })
      return { ok: true }
    },
  }
}

type Maker = MemberActor | EndUserActor

/**
 * Keys are made by people of the company and its end users: not by programs, by the platform's operators inside it, or
 * by a member who works as an end user.
 */
function memberOf({ actor }: Ctx): Maker {
  if (actor.kind === 'member' || (actor.kind === 'end_user' && !actor.enteredBy)) return actor
  throw new AppError('api_key.members_only')
}

/** The end user whose keys are meant; null: keys of the company's members. */
const userOf = ({ actor }: Ctx, asked: string | undefined): string | null => asked ?? customerOf(actor)?.id ?? null

/** A key acts with its maker's rights: only he may read its text or widen it. */
function mustBeMaker(row: repo.KeyRow, actor: Maker): void {
  if (row.made_by !== actor.loginId)
    throw new AppError('api_key.not_yours', { params: { username: row.maker_username } })
}

/** @throws AppError api_key.scope_unknown */
function checkScopes(words: readonly string[]): string[] {
  for (const word of words)
    if (!PERMISSIONS.some(known => known === word && isGrantable(known, { isOperator: false })) || NEVER.has(word))
      throw new AppError('api_key.scope_unknown', { params: { permission: word } })
  return PERMISSIONS.filter(permission => words.includes(permission))
}

function checkNetwork(text: string): string {
  const network = readNetwork(text)
  if (!network)
    throw new AppError('security.network_invalid', {
      params: { value: text },
      fields: { networks: { code: 'security.network_invalid', params: { value: text } } },
    })
  return network
}

const toDate = (text: string | null) => (text === null ? null : new Date(text))

function factsOf(row: repo.KeyRow): repo.KeyFacts {
  return {
    name: row.name,
    description: row.description,
    environment: row.environment,
    scopes: row.scopes,
    dataScope: row.data_scope,
    networks: row.networks,
    requestsPerMinute: row.requests_per_minute,
    expiresAt: row.expires_at,
  }
}

function auditFacts(row: repo.KeyRow): Record<string, unknown> {
  return {
    ...factsOf(row),
    prefix: row.prefix,
    previousPrefix: row.previous_prefix,
    previousUntil: row.previous_until,
    standsOn: row.maker_username,
    revokedAt: row.revoked_at,
  }
}

function stateOf(row: repo.KeyRow, now: number): KeyState {
  if (row.revoked_at) return 'revoked'
  if (row.expires_at && row.expires_at.getTime() <= now) return 'expired'
  if (row.maker_state === 'left' || row.maker_kind === 'operator') return 'maker_left'
  return row.maker_state === 'frozen' ? 'maker_frozen' : 'active'
}

const iso = (at: Date | null) => at?.toISOString() ?? null

function toView(ctx: Ctx, row: repo.KeyRow, makersRights: ReadonlySet<Permission>): ApiKeyView {
  const overlapping =
    row.previous_prefix !== null && row.previous_until !== null && row.previous_until.getTime() > ctx.now
  return {
    id: row.id,
    ...factsOf(row),
    prefix: row.prefix,
    state: stateOf(row, ctx.now),
    effectiveScopes: [...effectiveScopes(row.scopes, makersRights)],
    expiresAt: iso(row.expires_at),
    previous: overlapping ? { prefix: row.previous_prefix!, validUntil: row.previous_until!.toISOString() } : null,
    madeBy: { id: row.made_by, username: row.maker_username, displayName: row.maker_name },
    mine: (ctx.actor.kind === 'member' || ctx.actor.kind === 'end_user') && row.made_by === ownerIdOf(ctx.actor),
    lastUsedAt: iso(row.last_used_at),
    lastUsedIp: row.last_used_ip,
    lastRefusal: row.last_refused_at
      ? { at: row.last_refused_at.toISOString(), code: row.last_refused_code ?? '', ip: row.last_refused_ip ?? '' }
      : null,
    rotatedAt: iso(row.rotated_at),
    revokedAt: iso(row.revoked_at),
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
