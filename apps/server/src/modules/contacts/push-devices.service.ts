import { createHash } from 'node:crypto'
import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type { PushDeviceView, pushDevicesContract } from '@thingwright/contracts/push-devices.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { ChannelError } from './channel.port.ts'
import * as contacts from './contacts.repo.ts'
import { FIRST, holdRoom, known } from './contacts.service.ts'
import type { Push } from './push.ts'
import * as repo from './push-devices.repo.ts'
import { testWords } from './sender.ts'

type Contract = typeof pushDevicesContract

export interface PushDevicesService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<{ items: PushDeviceView[] }>
  /** @throws AppError push.person for a program, push.key, push.too_many, contact.not_found */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<PushDeviceView>
  /** @throws AppError push.not_found, push.refused with what the push service said */
  test(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export interface PushDevicesDeps {
  database: Database
  push: Push
}

/** Devices of one contact. */
const MOST = 10
/** First byte of an uncompressed point. */
const UNCOMPRESSED = 4

export function createPushDevices({ database, push }: PushDevicesDeps): PushDevicesService {
  async function one(scope: TenantScope, id: string): Promise<repo.PushDeviceRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('push.not_found')
    return row
  }

  /** The contact that was named, the one of the person's other browsers, or a new one. */
  async function contactFor(scope: TenantScope, ctx: Ctx, loginId: string, named: string | undefined) {
    const id = named ?? (await repo.contactOf(scope, loginId))
    if (id !== undefined) return (await known(scope, id, true)).id
    const owner = customerOf(ctx.actor)
    if (owner) await holdRoom(scope, owner.id)
    const values = { ...FIRST, name: actorName(ctx.actor), minLevel: 1, locale: ctx.locale }
    const row = await contacts.insert(scope, newId(ctx.now), values, owner?.id ?? null, 'push')
    await recordAudit(scope, ctx, {
      action: 'contact.create',
      objectType: 'contact',
      objectId: row.id,
      objectName: row.name,
      after: { name: row.name, hasPush: true },
    })
    return row.id
  }

  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: repo.PushDeviceRow) =>
    recordAudit(scope, ctx, {
      action: `push_device.${verb}`,
      objectType: 'push_device',
      objectId: row.id,
      objectName: `${row.contactName} · ${row.name}`,
    })

  return {
    list: (ctx, { contactId }) =>
      database.withTenant(ctx, async scope => ({
        items: (await repo.list(scope, contactId ?? null)).map(row => toView(row, personOf(ctx))),
      })),

    async create(ctx, { endpoint, keys, name, contactId, portal = '' }) {
      const loginId = personOf(ctx)
      if (loginId === null) throw new AppError('push.person')
      const p256dh = Buffer.from(keys.p256dh, 'base64url')
      if (p256dh.length !== 65 || p256dh[0] !== UNCOMPRESSED || !URL.canParse(endpoint)) throw new AppError('push.key')
      const endpointHash = hashOf(endpoint)
      // A browser has one address: what another person registered with it before ends.
      const before = await database.withSystemScope('alarms', async scope => {
        const forgotten = await repo.forgetEndpoint(scope, endpointHash)
        if (forgotten && forgotten.loginId !== loginId) await repo.noteLost(scope, [forgotten.contactId])
        return forgotten?.loginId === loginId ? forgotten.contactId : undefined
      })
      return database.withTenant(ctx, async scope => {
        const contact = await contactFor(scope, ctx, loginId, contactId ?? before)
        if ((await repo.count(scope, contact)) >= MOST) throw new AppError('push.too_many', { params: { count: MOST } })
        const id = newId(ctx.now)
        const secrets = push.seal(id, { endpoint, ...keys, portal })
        await repo.insert(scope, { id, contactId: contact, loginId, name, secrets, endpointHash })
        await repo.noteReached(scope, contact)
        const row = await one(scope, id)
        await note(scope, ctx, 'create', row)
        return toView(row, loginId)
      })
    },

    async test(ctx, id) {
      const { row, target } = await database.withTenant(ctx, async scope => {
        const found = await one(scope, id)
        return { row: found, target: (await repo.target(scope, id))! }
      })
      const { subject, text } = testWords(row.name, ctx.locale)
      try {
        await push.toDevice(target, { title: subject, text, tag: row.id, isUrgent: false, alarmId: null })
      } catch (error) {
        const reason = error instanceof ChannelError ? error.message : 'no answer'
        throw new AppError('push.refused', { params: { reason }, cause: error })
      }
      await database.withTenant(ctx, scope => note(scope, ctx, 'test', row))
      return { ok: true }
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await one(scope, id)
        await repo.remove(scope, id)
        await repo.noteLost(scope, [row.contactId])
        await note(scope, ctx, 'remove', row)
        return { ok: true }
      }),
  }
}

const hashOf = (endpoint: string) => createHash('sha256').update(endpoint).digest()

/** The login of a person; null: a program or the server itself. */
function personOf({ actor }: Ctx): string | null {
  return actor.kind === 'member' || actor.kind === 'end_user' ? actor.loginId : null
}

function toView(row: repo.PushDeviceRow, person: string | null): PushDeviceView {
  return {
    id: row.id,
    name: row.name,
    contactId: row.contactId,
    contactName: row.contactName,
    isMine: row.loginId === person,
    endpointHash: row.endpointHash.toString('hex'),
    sentAt: row.sentAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
