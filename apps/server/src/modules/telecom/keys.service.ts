import { randomBytes } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { TelecomKeyView, telecomContract } from '@thingwright/contracts/telecom.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import * as repo from './keys.repo.ts'
import { PlatformError, type PlatformKind } from './platform.port.ts'
import { hintOf, type KeySecrets, type Platforms } from './platforms.ts'
import * as refusals from './refused.repo.ts'
import { sourceOf } from './sources.ts'

type Contract = typeof telecomContract

export interface KeysService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError telecom_key.not_found */
  get(ctx: Ctx, id: string): Promise<TelecomKeyView>
  /** @throws AppError telecom_key.name_taken, limit, secret_missing, secret_form, address_blocked, source_invalid */
  create(ctx: Ctx, input: BodyOf<Contract['create']>, simulated?: boolean): Promise<TelecomKeyView>
  /** @throws AppError version.conflict, and those of get and create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<TelecomKeyView>
  /** What the platform says stands in the answer: a wrong secret is a state of the key, not an error of the request. */
  verify(ctx: Ctx, id: string): Promise<TelecomKeyView>
  /** @throws AppError telecom_key.refused with the platform's words: the secret before is kept */
  rotateSecret(ctx: Ctx, id: string, appSecret: string): Promise<TelecomKeyView>
  renewAddress(ctx: Ctx, id: string): Promise<TelecomKeyView>
  refused(ctx: Ctx, id: string, input: QueryOf<Contract['refused']>): Promise<ResponseOf<Contract['refused']>>
  /** @throws AppError telecom_key.in_use */
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

/** Where the platforms answer when nothing else is said (docs/integrations). */
export const DEFAULT_URLS: Readonly<Record<PlatformKind, string>> = {
  ctwing: 'https://ag-api.ctwing.cn',
  onenet: 'https://iot-api.heclouds.com',
}
const MAX_KEYS = 50

export interface KeysDeps {
  database: Database
  platforms: Platforms
  outboundAllow: readonly string[]
  /** Where this server is reached. */
  baseUrl(): string
}

export function createKeysService({ database, platforms, outboundAllow, baseUrl }: KeysDeps): KeysService {
  async function known(scope: TenantScope, id: string): Promise<repo.ListedKey> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('telecom_key.not_found')
    return row
  }

  async function checkName(scope: TenantScope, id: string, name: string): Promise<void> {
    const taken = await repo.idNamed(scope, name)
    if (taken !== null && taken !== id) wrong('name', 'telecom_key.name_taken', { name })
  }

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      wrong('baseUrl', 'telecom_key.address_blocked', { reason: error.message })
    }
  }

  function viewFor(ctx: Ctx, row: repo.ListedKey): TelecomKeyView {
    const { tenantId: _, cipher: __, callbackNo, callbackSecret, ...rest } = row
    return {
      ...rest,
      callbackUrl: mayWrite(ctx)
        ? `${baseUrl().replace(/\/$/, '')}/callbacks/${row.platform}/${callbackNo}-${callbackSecret}`
        : null,
      verifiedAt: row.verifiedAt?.toISOString() ?? null,
      lastCallbackAt: row.lastCallbackAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
    }
  }

  /** @returns what the platform said against it; null: nothing */
  async function faultOf(row: repo.ListedKey, secrets: KeySecrets): Promise<repo.KeyFault | null> {
    const product = row.products[0]?.platformProduct ?? row.verifyProduct
    if (row.platform === 'onenet' && product === null) wrong('verifyProduct', 'telecom_key.product_missing')
    try {
      await platforms.of(row, secrets).verify(product)
      return null
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return { kind: error.fault, code: error.code, text: error.text }
    }
  }

  const usable = (ctx: Ctx, id: string) =>
    database.withTenant(ctx, async scope => {
      const row = await known(scope, id)
      if (row.state === 'disabled') throw new AppError('telecom_key.disabled')
      return row
    })

  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, repo.KEY_SORTS, '-createdAt')
        const wanted = { ...filter, ...(q?.trim() ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(({ position: _, ...row }) => viewFor(ctx, row)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),

    get: (ctx, id) => database.withTenant(ctx, async scope => viewFor(ctx, await known(scope, id))),

    async create(ctx, input, simulated = false) {
      const { appSecret = '', token = '', aesKey = '' } = input
      checkSecret(input.platform, appSecret)
      const allow = checkSources(input.allow ?? [])
      if (!simulated && input.baseUrl !== undefined) checkAddress(input.baseUrl)
      return database.withTenant(ctx, async scope => {
        await checkName(scope, '', input.name)
        if ((await repo.count(scope)) >= MAX_KEYS)
          throw new AppError('telecom_key.limit', { params: { limit: MAX_KEYS } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          platform: input.platform,
          remark: input.remark ?? '',
          baseUrl: input.baseUrl ?? DEFAULT_URLS[input.platform],
          account: input.account,
          auth: input.auth ?? 'user',
          cipher: platforms.seal(id, { appSecret, token, aesKey }),
          secretHint: hintOf(appSecret),
          hasToken: token !== '',
          hasAesKey: aesKey !== '',
          verifyProduct: input.verifyProduct ?? null,
          allow,
          simulated,
          ...newAddress(),
        })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'telecom_key.create',
          objectType: 'telecom_key',
          objectId: id,
          objectName: row.name,
          after: shown(row),
        })
        return viewFor(ctx, row)
      })
    },

    update: (ctx, id, { version, disabled, appSecret, token, aesKey, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (input.name !== undefined) await checkName(scope, id, input.name)
        if (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) checkAddress(input.baseUrl)
        if (input.allow) input.allow = checkSources(input.allow)
        if (appSecret !== undefined) checkSecret(before.platform, appSecret)
        const old = platforms.secretsOf(before)
        const secrets = {
          appSecret: appSecret ?? old.appSecret,
          token: token ?? old.token,
          aesKey: aesKey ?? old.aesKey,
        }
        const isNewSecret = appSecret !== undefined || token !== undefined || aesKey !== undefined
        const isNewAccess =
          appSecret !== undefined ||
          (input.account !== undefined && input.account !== before.account) ||
          (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) ||
          (input.auth !== undefined && input.auth !== before.auth)
        const state = disabled === true ? 'disabled' : disabled === false || isNewAccess ? 'untested' : undefined
        const changed = await repo.update(scope, id, version, {
          ...input,
          ...(isNewSecret ? { cipher: platforms.seal(id, secrets), ...marksOf(secrets) } : {}),
          ...(state ? { state } : {}),
        })
        if (!changed) throw new AppError('version.conflict', { params: { current: viewFor(ctx, before) } })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'telecom_key.update',
          objectType: 'telecom_key',
          objectId: id,
          objectName: row.name,
          before: shown(before),
          after: { ...shown(row), ...(isNewSecret ? { credentials: 'changed' } : {}) },
        })
        return viewFor(ctx, row)
      }),

    async verify(ctx, id) {
      const row = await usable(ctx, id)
      const fault = await faultOf(row, platforms.secretsOf(row))
      return database.withTenant(ctx, async scope => {
        await repo.note(scope, id, fault, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'telecom_key.verify',
          objectType: 'telecom_key',
          objectId: id,
          objectName: row.name,
          after: { ok: fault === null, ...(fault ? { said: fault.text, answer: fault.code } : {}) },
          result: fault === null ? 'ok' : 'failed',
        })
        return viewFor(ctx, await known(scope, id))
      })
    },

    async rotateSecret(ctx, id, appSecret) {
      const row = await usable(ctx, id)
      checkSecret(row.platform, appSecret)
      const secrets = { ...platforms.secretsOf(row), appSecret }
      const fault = await faultOf(row, secrets)
      if (fault) {
        const text = [fault.code, fault.text].filter(Boolean).join(' ')
        throw new AppError('telecom_key.refused', {
          params: { text },
          fields: { appSecret: { code: 'telecom_key.refused', params: { text } } },
        })
      }
      return database.withTenant(ctx, async scope => {
        const values = { cipher: platforms.seal(id, secrets), ...marksOf(secrets) }
        if (!(await repo.update(scope, id, row.version, values)))
          throw new AppError('version.conflict', { params: { current: viewFor(ctx, await known(scope, id)) } })
        await repo.note(scope, id, null, new Date(ctx.now))
        await recordAudit(scope, ctx, {
          action: 'telecom_key.rotate_secret',
          objectType: 'telecom_key',
          objectId: id,
          objectName: row.name,
          before: { hint: row.secretHint },
          after: { hint: hintOf(appSecret) },
        })
        return viewFor(ctx, await known(scope, id))
      })
    },

    renewAddress: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        // The first half stays: who goes on using the address before is listed with this key.
        const { callbackSecret } = newAddress()
        await repo.update(scope, id, row.version, { callbackSecret })
        await recordAudit(scope, ctx, {
          action: 'telecom_key.renew_address',
          objectType: 'telecom_key',
          objectId: id,
          objectName: row.name,
        })
        return viewFor(ctx, await known(scope, id))
      }),

    refused: (ctx, id, { limit = 20, cursor }) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const rows = await readFrom(cursor, () => refusals.page(scope, id, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(({ position: _, firstAt, lastAt, ...row }) => ({
            ...row,
            firstAt: firstAt.toISOString(),
            lastAt: lastAt.toISOString(),
          })),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
        }
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        const products = await repo.used(scope, id)
        if (products > 0) throw new AppError('telecom_key.in_use', { params: { products } })
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'telecom_key.remove',
          objectType: 'telecom_key',
          objectId: id,
          objectName: before.name,
          before: shown(before),
        })
        return { ok: true }
      }),
  }
}

/** The address is as good as a password: who may not change the key does not see it. */
const mayWrite = ({ actor }: Ctx) => actor.kind === 'system' || actor.permissions.has('telecom-key:write')

/** The two halves of a callback address. */
function newAddress(): { callbackNo: string; callbackSecret: string } {
  return { callbackNo: randomBytes(6).toString('hex'), callbackSecret: randomBytes(32).toString('base64url') }
}

const marksOf = ({ appSecret, token, aesKey }: KeySecrets) => ({
  secretHint: hintOf(appSecret),
  hasToken: token !== '',
  hasAesKey: aesKey !== '',
})

const shown = (row: repo.KeyRow) => ({
  name: row.name,
  platform: row.platform,
  remark: row.remark,
  baseUrl: row.baseUrl,
  account: row.account,
  auth: row.auth,
  verifyProduct: row.verifyProduct,
  allow: row.allow,
  disabled: row.state === 'disabled',
})

/** An access key of OneNET is Base64: anything else would sign something, and never be let in. */
function checkSecret(platform: PlatformKind, appSecret: string): void {
  if (appSecret === '') wrong('appSecret', 'telecom_key.secret_missing')
  if (platform === 'onenet' && Buffer.from(appSecret, 'base64').toString('base64') !== appSecret)
    wrong('appSecret', 'telecom_key.secret_form')
}

function checkSources(allow: readonly string[]): string[] {
  const bad = allow.find(source => sourceOf(source) === null)
  if (bad !== undefined) wrong('allow', 'telecom_key.source_invalid', { source: bad })
  return allow.map(source => source.trim())
}

function wrong(
  field: string,
  code:
    | 'telecom_key.name_taken'
    | 'telecom_key.address_blocked'
    | 'telecom_key.secret_missing'
    | 'telecom_key.secret_form'
    | 'telecom_key.source_invalid'
    | 'telecom_key.product_missing',
  params: Record<string, unknown> = {},
): never {
  throw new AppError(code, { params, fields: { [field]: { code, params } } })
}
