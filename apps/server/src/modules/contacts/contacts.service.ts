import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { ContactView, contactsContract } from '@thingwright/contracts/contacts.contract'
import { PERSONAL_CHANNELS, type PersonalChannel } from '@thingwright/contracts/contacts.words'
import { recordAudit } from '../../lib/audit.ts'
import { type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { customerWays } from './channels.repo.ts'
import * as repo from './contacts.repo.ts'
import { phoneOf } from './phone.ts'
import { refuseZone } from './policy.service.ts'

type Contract = typeof contactsContract

export interface ContactsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<{ items: ContactView[]; nextCursor: string | null }>
  /** Ways in which the caller's contacts can be reached. */
  ways(ctx: Ctx): Promise<{ ways: PersonalChannel[] }>
  /** @throws AppError contact.email_taken, contact.too_many, end_user.not_found */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<ContactView>
  /** @throws AppError contact.not_found also for another company's */
  get(ctx: Ctx, id: string): Promise<ContactView>
  /** Another address is not verified. @throws AppError contact.not_found, contact.email_taken, version.conflict */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<ContactView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createContactsService({ database }: { database: Database }): ContactsService {
  return {
    list: (ctx, input) =>
      readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          const limit = input.limit ?? 20
          const after = decodeCursor(input.cursor, 1)?.[0] as string | undefined
          const rows = await repo.list(scope, limit + 1, after ?? null, {
            q: input.q?.trim() ?? '',
            userId: input.userId,
          })
          const page = rows.slice(0, limit)
          return { items: page.map(toView), nextCursor: rows.length > limit ? encodeCursor([page.at(-1)!.id]) : null }
        }),
      ),
    ways: ctx =>
      database.withTenant(ctx, async scope => ({
        ways: customerOf(ctx.actor) ? await customerWays(scope) : [...PERSONAL_CHANNELS],
      })),
    create: (ctx, { userId, ...input }) =>
      database.withTenant(ctx, async scope => {
        const values = checked({ ...FIRST, ...input })
        const ownerId = userId ?? customerOf(ctx.actor)?.id ?? null
        if (ownerId !== null) await holdRoom(scope, ownerId)
        await refuseTaken(scope, values, null, ownerId)
        const row = await repo.insert(scope, newId(ctx.now), values, ownerId)
        await recordAudit(scope, ctx, {
          action: 'contact.create',
          objectType: 'contact',
          objectId: row.id,
          objectName: row.name,
          after: { ...valuesOf(row) },
        })
        return toView(row)
      }),
    get: (ctx, id) => database.withTenant(ctx, async scope => toView(await known(scope, id))),
    update: (ctx, id, { version, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        const values = checked({ ...valuesOf(before), ...input }, before.has_push || before.has_applet)
        await refuseTaken(scope, values, id, before.owner_id)
        const row = await repo.update(scope, id, version, values)
        if (!row) throw new AppError('version.conflict', { params: { current: toView(before) } })
        await recordAudit(scope, ctx, {
          action: 'contact.update',
          objectType: 'contact',
          objectId: id,
          objectName: row.name,
          before: { ...valuesOf(before) },
          after: { ...valuesOf(row) },
        })
        return toView(row)
      }),
    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'contact.remove',
          objectType: 'contact',
          objectId: id,
          objectName: before.name,
          before: { ...valuesOf(before) },
        })
        return { ok: true }
      }),
  }
}

/** @throws AppError contact.not_found */
export async function known(scope: TenantScope, id: string, lock = false): Promise<repo.ContactRow> {
  const row = await repo.find(scope, id, lock)
  if (!row) throw new AppError('contact.not_found')
  return row
}

/** A contact as it begins. */
export const FIRST = {
  email: null,
  phone: null,
  wechatOpenid: null,
  escalationOnly: false,
  quiet: null,
  perHour: null,
  ways: null,
  locale: 'zh' as const,
  minLevel: 3,
  enabled: true,
}

/** @throws AppError contact.unreachable, contact.phone_wrong, policy.zone */
function checked(values: repo.ContactValues, isReached = false): repo.ContactValues {
  if (values.quiet) refuseZone(values.quiet.zone)
  const phone = values.phone ? phoneOf(values.phone) : null
  if (values.phone && !phone) throw new AppError('contact.phone_wrong', { params: { phone: values.phone } })
  if (!values.email && !phone && !values.wechatOpenid && !isReached) throw new AppError('contact.unreachable')
  return { ...values, phone }
}

/** Contacts of one end user. */
const MOST_OF_ONE = 20

/** @throws AppError end_user.not_found, contact.too_many */
export async function holdRoom(scope: TenantScope, ownerId: string): Promise<void> {
  const owner = await repo.holdOwner(scope, ownerId)
  if (!owner) throw new AppError('end_user.not_found')
  if (owner.contacts >= MOST_OF_ONE) throw new AppError('contact.too_many', { params: { limit: MOST_OF_ONE } })
}

/** @throws AppError contact.email_taken, contact.phone_taken */
async function refuseTaken(
  scope: TenantScope,
  values: repo.ContactValues,
  but: string | null,
  ownerId: string | null,
): Promise<void> {
  const { email, phone } = values
  const taken = await repo.taken(scope, values, but, ownerId)
  if (taken === 'email') throw new AppError('contact.email_taken', { params: { email: email ?? '' } })
  if (taken === 'phone') throw new AppError('contact.phone_taken', { params: { phone: phone ?? '' } })
}

function valuesOf(row: repo.ContactRow): repo.ContactValues {
  return {
    name: row.name,
    email: row.email,
    phone: row.phone,
    wechatOpenid: row.wechat_openid,
    escalationOnly: row.escalation_only,
    quiet: row.quiet,
    perHour: row.per_hour,
    ways: row.ways,
    locale: row.locale,
    minLevel: row.min_level,
    enabled: row.enabled,
  }
}

export function toView(row: repo.ContactRow): ContactView {
  return {
    id: row.id,
    ...valuesOf(row),
    hasPush: row.has_push,
    hasApplet: row.has_applet,
    owner: row.owner_id === null ? null : { id: row.owner_id, name: row.owner_name ?? '' },
    verifiedAt: row.verified_at?.toISOString() ?? null,
    phoneVerifiedAt: row.phone_verified_at?.toISOString() ?? null,
    version: row.version,
    createdAt: row.created_at.toISOString(),
  }
}
