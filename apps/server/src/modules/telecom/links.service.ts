import type { BodyOf } from '@thingwright/contracts'
import type { TelecomDeviceView, TelecomProductView, telecomContract } from '@thingwright/contracts/telecom.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import * as devices from './devices.repo.ts'
import * as keys from './keys.repo.ts'
import { hintOf, masterContext, type Platforms, pskContext } from './platforms.ts'
import * as repo from './products.repo.ts'

type Contract = typeof telecomContract

/** Which product of a platform ours is, and the numbers of its devices. */
export interface LinksService {
  product(ctx: Ctx, productId: string): Promise<{ link: TelecomProductView | null }>
  /** @throws AppError telecom_link.not_nbiot, product_taken, master_key_missing, telecom_key.not_found, version.conflict */
  setProduct(
    ctx: Ctx,
    productId: string,
    input: BodyOf<Contract['setProduct']>,
  ): Promise<{ link: TelecomProductView | null }>
  clearProduct(ctx: Ctx, productId: string): Promise<{ ok: boolean }>
  device(ctx: Ctx, deviceId: string): Promise<TelecomDeviceView>
  /** @throws AppError telecom_link.not_nbiot, imei_taken, version.conflict */
  setDevice(ctx: Ctx, deviceId: string, input: BodyOf<Contract['setDevice']>): Promise<TelecomDeviceView>
  /** @throws AppError telecom_link.missing, imei_missing */
  registerDevice(ctx: Ctx, deviceId: string): Promise<TelecomDeviceView>
  unregisterDevice(ctx: Ctx, deviceId: string): Promise<TelecomDeviceView>
}

export interface LinksDeps {
  database: Database
  platforms: Platforms
  /** Devices are to be made or deleted at their platform. */
  onQueued(): void
}

export function createLinksService({ database, platforms, onQueued }: LinksDeps): LinksService {
  /** Whoever sees a product or device may see by which key it is connected; the keys themselves he need not see. */
  const whole = <T>(ctx: Ctx, work: (scope: TenantScope) => Promise<T>) =>
    database.withTenant({ tenantId: ctx.tenantId }, work)

  async function productOf(ctx: Ctx, productId: string): Promise<{ name: string; linkType: string }> {
    const product = await database.withTenant(ctx, scope => repo.product(scope, productId))
    if (!product) throw new AppError('product.not_found')
    return product
  }

  const linkOf = async (ctx: Ctx, productId: string) => ({
    link: viewOf(await whole(ctx, scope => repo.find(scope, productId))),
  })

  async function subjectOf(ctx: Ctx, deviceId: string): Promise<devices.Subject> {
    const subject = await database.withTenant(ctx, scope => devices.subject(scope, deviceId))
    if (!subject) throw new AppError('device.not_found')
    return subject
  }

  async function deviceView(ctx: Ctx, subject: devices.Subject): Promise<TelecomDeviceView> {
    return whole(ctx, async scope => {
      const [row, link] = [await devices.find(scope, subject.id), await repo.find(scope, subject.productId)]
      return {
        imei: row?.imei ?? null,
        imsi: row?.imsi ?? null,
        sn: row?.sn ?? null,
        hasPsk: Boolean(row?.pskCipher),
        platform: link?.platform ?? null,
        keyName: link?.keyName ?? null,
        platformDevice: row?.platformDevice ?? null,
        mirror: row?.mirror ?? 'none',
        mirrorFault: row?.mirrorFault ?? null,
        lastMessageAt: row?.lastMessageAt?.toISOString() ?? null,
        version: row?.version ?? 1,
      }
    })
  }

  return {
    async product(ctx, productId) {
      await productOf(ctx, productId)
      return linkOf(ctx, productId)
    },

    async setProduct(ctx, productId, { keyId, platformProduct, masterKey, version }) {
      const product = await productOf(ctx, productId)
      if (product.linkType !== 'nbiot') throw new AppError('telecom_link.not_nbiot')
      await database.withTenant(ctx, async scope => {
        const key = await keys.plain(scope, keyId)
        if (!key) throw new AppError('telecom_key.not_found')
        const taken = await repo.taken(scope, keyId, platformProduct)
        if (taken && taken.productId !== productId) {
          const params = { platformProduct, name: taken.name }
          throw new AppError('telecom_link.product_taken', {
            params,
            fields: { platformProduct: { code: 'telecom_link.product_taken', params } },
          })
        }
        const before = await repo.find(scope, productId)
        const isKept = masterKey === undefined
        if (key.platform === 'ctwing' && isKept && !before?.masterCipher)
          throw new AppError('telecom_link.master_key_missing', {
            fields: { masterKey: { code: 'telecom_link.master_key_missing' } },
          })
        const values: repo.LinkValues = {
          productId,
          keyId,
          platformProduct,
          masterCipher: isKept
            ? (before?.masterCipher ?? null)
            : platforms.sealText(masterContext(productId), masterKey),
          masterHint: isKept ? (before?.masterHint ?? null) : hintOf(masterKey),
        }
        const done = before
          ? await repo.update(scope, version ?? before.version, values)
          : await repo.insert(scope, values)
        if (!done) throw new AppError('version.conflict', { params: { current: viewOf(before) } })
        await repo.moveDevices(scope, values, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'telecom_product.update',
          objectType: 'telecom_product',
          objectId: productId,
          objectName: product.name,
          before: before ? { key: before.keyName, platformProduct: before.platformProduct } : null,
          after: { key: key.name, platformProduct, ...(isKept ? {} : { credentials: 'changed' }) },
        })
        scope.afterCommit(onQueued)
      })
      return linkOf(ctx, productId)
    },

    async clearProduct(ctx, productId) {
      const product = await productOf(ctx, productId)
      return database.withTenant(ctx, async scope => {
        const before = await repo.find(scope, productId)
        if (!before) throw new AppError('telecom_link.missing')
        await repo.remove(scope, productId)
        await recordAudit(scope, ctx, {
          action: 'telecom_product.remove',
          objectType: 'telecom_product',
          objectId: productId,
          objectName: product.name,
          before: { key: before.keyName, platformProduct: before.platformProduct },
        })
        return { ok: true }
      })
    },

    async device(ctx, deviceId) {
      return deviceView(ctx, await subjectOf(ctx, deviceId))
    },

    async setDevice(ctx, deviceId, { imei, imsi, sn, psk, version }) {
      const subject = await subjectOf(ctx, deviceId)
      if (subject.linkType !== 'nbiot') throw new AppError('telecom_link.not_nbiot')
      const [link, other] = await whole(ctx, async scope => [
        await repo.find(scope, subject.productId),
        imei === null ? undefined : await devices.ofImei(scope, imei),
      ])
      if (imei !== null && other && other.deviceId !== deviceId) {
        const seen = await database.withTenant(ctx, scope => devices.subject(scope, other.deviceId))
        const params = { imei, name: seen?.name ?? '****' }
        throw new AppError('telecom_link.imei_taken', {
          params,
          fields: { imei: { code: 'telecom_link.imei_taken', params } },
        })
      }
      await database.withTenant(ctx, async scope => {
        const before = await devices.find(scope, deviceId)
        const isOther = before?.imei !== imei
        const isThere = Boolean(before?.platformDevice)
        const mirror = isOther
          ? isThere
            ? 'removing'
            : imei !== null && link
              ? 'pending'
              : 'none'
          : (before?.mirror ?? 'none')
        const values: devices.DeviceValues = {
          imei,
          imsi,
          sn,
          ...(psk === undefined
            ? {}
            : { pskCipher: psk === null ? null : platforms.sealText(pskContext(deviceId), psk) }),
          ...(isOther
            ? {
                mirror,
                mirrorFault: null,
                tries: 0,
                wanted: true,
                dueAt: mirror === 'none' ? null : new Date(ctx.now),
                ...(isThere ? {} : { keyId: link?.keyId ?? null, platformProduct: link?.platformProduct ?? null }),
              }
            : {}),
        }
        const done = before
          ? await devices.update(scope, deviceId, version ?? before.version, values)
          : await devices.insert(scope, {
              ...values,
              deviceId,
              tenantId: scope.tenantId,
              productId: subject.productId,
              deviceNo: subject.deviceNo,
            })
        if (!done) throw new AppError('version.conflict', { params: { current: await deviceView(ctx, subject) } })
        await recordAudit(scope, ctx, {
          action: 'telecom_device.update',
          objectType: 'telecom_device',
          objectId: deviceId,
          objectName: subject.name,
          before: before ? { imei: before.imei, imsi: before.imsi, sn: before.sn } : null,
          after: { imei, imsi, sn, ...(psk === undefined ? {} : { psk: psk === null ? null : 'changed' }) },
        })
        scope.afterCommit(onQueued)
      })
      return deviceView(ctx, subject)
    },

    async registerDevice(ctx, deviceId) {
      const subject = await subjectOf(ctx, deviceId)
      const link = await whole(ctx, scope => repo.find(scope, subject.productId))
      if (!link) throw new AppError('telecom_link.missing')
      await database.withTenant(ctx, async scope => {
        const row = await devices.find(scope, deviceId)
        if (!row?.imei) throw new AppError('telecom_link.imei_missing')
        if (row.mirror !== 'mirrored')
          await devices.learn(scope, deviceId, {
            keyId: link.keyId,
            platformProduct: link.platformProduct,
            mirror: 'pending',
            mirrorFault: null,
            wanted: true,
            tries: 0,
            dueAt: new Date(ctx.now),
          })
        await recordAudit(scope, ctx, {
          action: 'telecom_device.register',
          objectType: 'telecom_device',
          objectId: deviceId,
          objectName: subject.name,
          after: { imei: row.imei, key: link.keyName },
        })
        scope.afterCommit(onQueued)
      })
      return deviceView(ctx, subject)
    },

    async unregisterDevice(ctx, deviceId) {
      const subject = await subjectOf(ctx, deviceId)
      await database.withTenant(ctx, async scope => {
        const row = await devices.find(scope, deviceId)
        if (!row) throw new AppError('telecom_link.imei_missing')
        await devices.learn(scope, deviceId, {
          mirror: row.platformDevice ? 'removing' : 'none',
          mirrorFault: null,
          wanted: false,
          tries: 0,
          dueAt: row.platformDevice ? new Date(ctx.now) : null,
        })
        await recordAudit(scope, ctx, {
          action: 'telecom_device.remove',
          objectType: 'telecom_device',
          objectId: deviceId,
          objectName: subject.name,
          before: { imei: row.imei, platformDevice: row.platformDevice },
        })
        scope.afterCommit(onQueued)
      })
      return deviceView(ctx, subject)
    },
  }
}

function viewOf(row: repo.ProductLinkRow | undefined): TelecomProductView | null {
  if (!row) return null
  const { keyId, keyName, platform, keyState, simulated, platformProduct, masterHint, version } = row
  const { mirrored, failed, waiting } = row
  return {
    keyId,
    keyName,
    platform,
    keyState,
    simulated,
    platformProduct,
    masterKeyHint: masterHint,
    devices: { mirrored, failed, waiting },
    version,
  }
}
