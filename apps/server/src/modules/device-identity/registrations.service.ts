import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { productIdentityContract, RegistrationView } from '@thingwright/contracts/device-identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { openAccessToken } from '../../lib/crypto/device-credentials.ts'
import { openDeviceSecret, secretMatches } from '../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import { sql } from '../../lib/sql/statement.ts'
import type { DevicesService } from '../devices/index.ts'
import { countWaiting, findProductIdentity } from './product-identity.repo.ts'
import type { RegistrationAnswer, RegistrationRequest } from './registration.port.ts'
import * as repo from './registrations.repo.ts'

type Contract = typeof productIdentityContract

export interface RegistrationsDeps {
  database: Database
  devices: Pick<DevicesService, 'create'>
  secrets: CryptoBox
}

export interface RegistrationsService {
  /** A device with its product's secret asks for one of its own. Never throws for what the device did. */
  answer(request: RegistrationRequest): Promise<RegistrationAnswer>
  list(
    ctx: Ctx,
    productId: string,
    query: QueryOf<Contract['registrations']>,
  ): Promise<{ items: RegistrationView[]; nextCursor: string | null }>
  decide(ctx: Ctx, productId: string, input: BodyOf<Contract['decide']>): Promise<ResponseOf<Contract['decide']>>
}

/** A device that does not ask again is forgotten. */
const WAITING_DAYS = 7
/** A rejected device may ask anew. */
const REJECTED_DAYS = 30
const REGISTERED_DAYS = 30
/** Devices that wait at one product: beyond, somebody plays with a leaked secret. */
const MOST_WAITING = 1_000

const IS_KNOWN = sql`select 1 from device_registrations where product_id = $1 and device_no = $2`

/**
 * Dynamic registration. A device that exists and was never active gets its secret, however often it asks (the answer may
 * have been lost); once it was active nobody gets it again, so that a leaked product secret opens no working device.
 */
export function createRegistrationsService({ database, devices, secrets }: RegistrationsDeps): RegistrationsService {
  const refused = (reason: (RegistrationAnswer & { ok: false })['reason']) => ({ ok: false, reason }) as const

  async function answer({
    productKey,
    deviceNo,
    productSecret,
    address,
  }: RegistrationRequest): Promise<RegistrationAnswer> {
    const product = await database.withSystemScope('device-sign-in', scope =>
      repo.registeringProduct(scope, productKey),
    )
    if (!product || !isSecretOf(product, productSecret)) return refused('wrong_product_secret')
    if (product.registration === 'off') return refused('registration_off')
    if (!product.companyOpen) return refused('disabled')
    if (!product.published) return refused('not_published')
    const ctx: Ctx = { ...systemContext(product.tenantId, 'device-registration'), ip: address }
    const known = await handOut(ctx, product.id, deviceNo, address)
    if (known) return known
    if (product.registration === 'pre_registered') return refused('registration_unlisted')
    if (product.registration === 'approve') return wait(ctx, product.id, deviceNo, address)
    try {
      await devices.create(ctx, { productId: product.id, deviceNo, name: deviceNo })
    } catch (error) {
      if (error instanceof AppError && error.code === 'quota.exceeded') return refused('quota_full')
      // Two of the same number at once: the other one made it.
      if (!(error instanceof AppError && error.code === 'device.number_taken')) throw error
    }
    return (await handOut(ctx, product.id, deviceNo, address)) ?? refused('unavailable')
  }

  /** The secret of a device that is there; null: it is not. */
  function handOut(ctx: Ctx, productId: string, deviceNo: string, address: string): Promise<RegistrationAnswer | null> {
    return database.withTenant(ctx, async scope => {
      const device = await repo.registeredDevice(scope, productId, deviceNo)
      if (!device) return null
      if (device.lifecycle === 'disabled' || device.lifecycle === 'recycled') return refused('disabled')
      if (device.lifecycle === 'active') return refused('registration_done')
      const entry = { id: newId(ctx.now), productId, deviceNo, address, days: REGISTERED_DAYS }
      const { isNew } = await repo.asked(scope, entry, 'approved')
      // Asking again because the answer was lost is nothing new.
      if (isNew) {
        await recordAudit(scope, ctx, {
          action: 'device.register',
          objectType: 'device',
          objectId: device.id,
          objectName: device.name,
          after: { deviceNo, address },
        })
      }
      const { tokenCipher } = device
      return {
        ok: true,
        deviceSecret: openDeviceSecret(secrets, device.id, device.secretCipher),
        ...(tokenCipher ? { accessToken: openAccessToken(secrets, device.id, tokenCipher) } : {}),
      }
    })
  }

  function wait(ctx: Ctx, productId: string, deviceNo: string, address: string): Promise<RegistrationAnswer> {
    return database.withTenant(ctx, async scope => {
      await repo.removeExpired(scope, productId)
      const waiting = await countWaiting(scope, productId)
      const entry = { id: newId(ctx.now), productId, deviceNo, address, days: WAITING_DAYS }
      if (waiting >= MOST_WAITING && !(await isKnown(scope, productId, deviceNo))) return refused('rate_limited')
      const { state } = await repo.asked(scope, entry, 'waiting')
      return refused(state === 'rejected' ? 'registration_rejected' : 'registration_waiting')
    })
  }

  async function isKnown(scope: TenantScope, productId: string, deviceNo: string): Promise<boolean> {
    const { rowCount } = await scope.run(IS_KNOWN, [productId, deviceNo])
    return rowCount === 1
  }

  /** One entry in transactions of its own: of a hundred, one full quota or taken number spoils no other. */
  async function decideOne(
    ctx: Ctx,
    productId: string,
    id: string,
    decision: 'approve' | 'reject',
  ): Promise<{ id: string; deviceNo: string; ok: boolean; code: string | null }> {
    const entry = await database.withTenant(ctx, scope => repo.lockRegistration(scope, productId, id))
    const deviceNo = entry?.deviceNo ?? ''
    try {
      if (!entry) throw new AppError('registration.not_found')
      if (entry.state === (decision === 'approve' ? 'approved' : 'rejected')) throw new AppError('registration.decided')
      if (decision === 'approve') {
        await devices.create(ctx, { productId, deviceNo, name: deviceNo }).catch((error: unknown) => {
          if (!(error instanceof AppError && error.code === 'device.number_taken')) throw error
        })
      }
      await database.withTenant(ctx, async scope => {
        const state = decision === 'approve' ? 'approved' : 'rejected'
        await repo.decide(scope, id, state, actorName(ctx.actor), decision === 'approve' ? WAITING_DAYS : REJECTED_DAYS)
        await recordAudit(scope, ctx, {
          action: 'device.registration',
          objectType: 'product',
          objectId: productId,
          objectName: deviceNo,
          after: { deviceNo, decision },
        })
      })
      return { id, deviceNo, ok: true, code: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { id, deviceNo, ok: false, code: error.code }
    }
  }

  return {
    answer,

    list: (ctx, productId, { limit = 20, cursor, state }) =>
      database.withTenant(ctx, async scope => {
        if (!(await findProductIdentity(scope, productId))) throw new AppError('product.not_found')
        const after = decodeCursor(cursor, 2) as [string, string] | null
        const rows = await readFrom(cursor, () =>
          repo.listRegistrations(scope, productId, state ?? null, after, limit + 1),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
        }
      }),

    async decide(ctx, productId, { decision, ids }) {
      await database.withTenant(ctx, async scope => {
        if (!(await findProductIdentity(scope, productId, true))) throw new AppError('product.not_found')
      })
      const items: ResponseOf<Contract['decide']>['items'] = []
      for (const id of ids) items.push(await decideOne(ctx, productId, id, decision))
      // What was decided is in the log entry by entry; the request itself stands there too when nothing was.
      if (!ctx.audited) {
        await database.withTenant(ctx, scope =>
          recordAudit(scope, ctx, {
            action: 'device.registration',
            objectType: 'product',
            objectId: productId,
            after: { decision, ids: ids.length },
            result: 'refused',
          }),
        )
      }
      return { items }
    },
  }
}

/** Both are compared, whichever matches first. */
function isSecretOf(product: repo.RegisteringProduct, secret: string): boolean {
  const current = secretMatches(secret, product.secretHash)
  const previous = secretMatches(secret, product.previousSecretHash)
  return current || (previous && (product.previousSecretUntil?.getTime() ?? 0) > Date.now())
}

function toView(row: repo.RegistrationRow): RegistrationView {
  const { id, deviceNo, state, address, asks, decidedBy } = row
  return {
    id,
    deviceNo,
    state,
    address,
    asks,
    decidedBy,
    firstAskedAt: row.firstAskedAt.toISOString(),
    lastAskedAt: row.lastAskedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }
}
