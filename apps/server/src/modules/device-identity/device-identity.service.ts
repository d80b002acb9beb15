import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type {
  DeviceIdentityView,
  deviceIdentityContract,
  TripleView,
} from '@thingwright/contracts/device-identity.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { newAccessToken, openAccessToken, signatureOf } from '../../lib/crypto/device-credentials.ts'
import { openDeviceSecret } from '../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { changeDevice, replaceDeviceToken, storeDeviceAccess } from '../devices/index.ts'
import { changedAccess, effectiveAccess, toAccess } from './access.ts'
import { toCertificateView } from './certificate-views.ts'
import { certificatesOfDevice } from './device-cas.repo.ts'
import * as repo from './device-identity.repo.ts'

type Contract = typeof deviceIdentityContract

export interface IdentityDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget' | 'kick'>
  /** Opens device secrets, seals access tokens. */
  secrets: CryptoBox
  requireFreshProof(ctx: Ctx): Promise<void>
}

export interface DeviceIdentityService {
  get(ctx: Ctx, id: string): Promise<DeviceIdentityView>
  set(ctx: Ctx, id: string, input: BodyOf<Contract['set']>): Promise<DeviceIdentityView>
  rotateToken(
    ctx: Ctx,
    id: string,
    input: BodyOf<Contract['rotateToken']>,
  ): Promise<ResponseOf<Contract['rotateToken']>>
  showToken(ctx: Ctx, id: string): Promise<{ accessToken: string }>
  removeToken(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  triple(ctx: Ctx, id: string, input: BodyOf<Contract['triple']>): Promise<TripleView>
}

const DEFAULT_OVERLAP_SECONDS = 86_400

/** What one device signs in with, what it may do, and how fast. */
export function createDeviceIdentityService(deps: IdentityDeps): DeviceIdentityService {
  const { database, secrets } = deps

  async function existing(scope: TenantScope, id: string): Promise<repo.DeviceIdentityRow> {
    const row = await repo.findDeviceIdentity(scope, id)
    if (!row) throw new AppError('device.not_found')
    return row
  }

  const view = (ctx: Ctx, id: string): Promise<DeviceIdentityView> =>
    database.withTenant(ctx, async scope => {
      const row = await existing(scope, id)
      const until = row.previousTokenUntil
      const certificates = await certificatesOfDevice(scope, id)
      return {
        hasAccessToken: row.hasAccessToken,
        previousTokenUntil: until && until.getTime() > ctx.now ? until.toISOString() : null,
        certificates: certificates.map(certificate => toCertificateView(certificate, ctx.now)),
        own: toAccess(row.access),
        effective: effectiveAccess(row.productAccess, row.access),
        flow: (await repo.flowOf(scope, row.num)).map(day => ({ ...day, lastAt: day.lastAt.toISOString() })),
      }
    })

  return {
    get: view,

    async set(ctx, id, change) {
      await changeDevice(deps, ctx, id, { action: 'device.identity' }, async scope => {
        const { access } = await existing(scope, id)
        await storeDeviceAccess(scope, id, changedAccess(access, change))
      })
      return view(ctx, id)
    },

    async rotateToken(ctx, id, { overlapSeconds = DEFAULT_OVERLAP_SECONDS }) {
      const token = newAccessToken(secrets, id)
      let until: Date | null = null
      await changeDevice(deps, ctx, id, { action: 'device.rotate_token', kick: overlapSeconds === 0 }, async scope => {
        const { hasAccessToken } = await existing(scope, id)
        until = hasAccessToken && overlapSeconds > 0 ? new Date(ctx.now + overlapSeconds * 1000) : null
        await replaceDeviceToken(scope, id, token, until)
      })
      return { accessToken: token.shown, previousTokenUntil: (until as Date | null)?.toISOString() ?? null }
    },

    async showToken(ctx, id) {
      await deps.requireFreshProof(ctx)
      return database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        if (!row.tokenCipher) throw new AppError('device.no_access_token')
        await recordAudit(scope, ctx, {
          action: 'device.show_token',
          objectType: 'device',
          objectId: id,
          objectName: row.name,
        })
        return { accessToken: openAccessToken(secrets, id, row.tokenCipher) }
      })
    },

    async removeToken(ctx, id) {
      await changeDevice(deps, ctx, id, { action: 'device.remove_token', kick: true }, scope =>
        replaceDeviceToken(scope, id, null, null),
      )
      return { ok: true }
    },

    triple: (ctx, id, { method, dialect, clientId, timestamp = ctx.now }) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        const secret = openDeviceSecret(secrets, id, row.secretCipher)
        await recordAudit(scope, ctx, {
          action: 'device.triple',
          objectType: 'device',
          objectId: id,
          objectName: row.name,
          after: { method, dialect },
        })
        const { productKey, deviceNo } = row
        if (dialect === 'own') {
          const content = `${productKey}/${deviceNo}/${timestamp}`
          const signature = signatureOf(method, secret, content).toString('hex')
          return {
            content,
            username: `${productKey}/${deviceNo}`,
            password: `${method}:${timestamp}:${signature}`,
            clientId: clientId ?? null,
            timestamp,
          }
        }
        // Alibaba Cloud, "MQTT-TCP connections": parameters in alphabetical order, without separators.
        const own = clientId ?? deviceNo
        const content = `clientId${own}deviceName${deviceNo}productKey${productKey}timestamp${timestamp}`
        return {
          content,
          username: `${deviceNo}&${productKey}`,
          password: signatureOf(method, secret, content).toString('hex'),
          clientId: `${own}|securemode=3,signmethod=${method},timestamp=${timestamp}|`,
          timestamp,
        }
      }),
  }
}
