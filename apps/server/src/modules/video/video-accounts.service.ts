import type { BodyOf, ResponseOf } from '@thingwright/contracts'
import type { VideoAccountView, videoAccountsContract } from '@thingwright/contracts/video.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import * as repo from './accounts.repo.ts'
import { channelView } from './channel-view.ts'
import * as channels from './channels.repo.ts'
import { accountFor, type Vendors, vendorError } from './vendors.ts'
import { VideoError } from './video.port.ts'

type Contract = typeof videoAccountsContract

export interface VideoAccountsService {
  list(ctx: Ctx): Promise<{ items: VideoAccountView[] }>
  /** @throws AppError video.account_name_taken, video.limit, video.address_blocked */
  create(ctx: Ctx, input: BodyOf<Contract['create']>, simulated?: boolean): Promise<VideoAccountView>
  /** @throws AppError video.account_not_found, version.conflict and those of create */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<VideoAccountView>
  /** What the vendor says stands in the answer: a wrong secret is a state of the account, not an error of the request. */
  test(ctx: Ctx, id: string): Promise<VideoAccountView>
  /** @throws AppError video.account_refused, video.vendor, video.vendor_unreachable */
  sync(ctx: Ctx, id: string): Promise<ResponseOf<Contract['sync']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** @throws AppError video.code_wrong, video.device_of_other, video.serial_wrong, video.offline */
  addDevice(ctx: Ctx, input: BodyOf<Contract['addDevice']>): Promise<ResponseOf<Contract['addDevice']>>
}

/** The open platform in China. */
export const EZVIZ_URL = 'https://open.ys7.com'
const MAX_ACCOUNTS = 20
const MAX_CHANNELS = 20_000

export function createVideoAccounts(deps: {
  database: Database
  vendors: Vendors
  outboundAllow: readonly string[]
}): VideoAccountsService {
  const { database, vendors, outboundAllow } = deps

  async function checkName(scope: TenantScope, id: string, name: string): Promise<void> {
    const taken = await repo.idNamed(scope, name)
    if (taken === null || taken === id) return
    throw new AppError('video.account_name_taken', {
      params: { name },
      fields: { name: { code: 'video.account_name_taken', params: { name } } },
    })
  }

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      const params = { reason: error.message }
      throw new AppError('video.address_blocked', {
        params,
        fields: { baseUrl: { code: 'video.address_blocked', params } },
      })
    }
  }

  async function known(scope: TenantScope, id: string): Promise<repo.AccountRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('video.account_not_found')
    return row
  }

  const shown = ({ name, appKey, baseUrl, state }: repo.AccountRow) => ({ name, appKey, baseUrl, state })

  return {
    list: ctx => database.withTenant(ctx, async scope => ({ items: (await repo.list(scope)).map(accountView) })),

    async create(ctx, input, simulated = false) {
      if (!simulated && input.baseUrl !== undefined) checkAddress(input.baseUrl)
      return database.withTenant(ctx, async scope => {
        await checkName(scope, '', input.name)
        if ((await repo.list(scope)).length >= MAX_ACCOUNTS)
          throw new AppError('video.limit', { params: { limit: MAX_ACCOUNTS } })
        const id = newId(ctx.now)
        const cipher = vendors.seal(id, input.appSecret)
        const { name, appKey, baseUrl = EZVIZ_URL } = input
        await repo.insert(scope, { id, name, appKey, cipher, baseUrl, simulated })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'video_account.create',
          objectType: 'video_account',
          objectId: id,
          objectName: row.name,
          after: shown(row),
        })
        return accountView(row)
      })
    },

    update: (ctx, id, { version, appSecret, disabled, ...input }) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        if (input.name !== undefined) await checkName(scope, id, input.name)
        if (input.baseUrl !== undefined && input.baseUrl !== before.baseUrl) checkAddress(input.baseUrl)
        const next = {
          name: input.name ?? before.name,
          appKey: input.appKey ?? before.appKey,
          baseUrl: input.baseUrl ?? before.baseUrl,
        }
        const newAccess = appSecret !== undefined || next.appKey !== before.appKey || next.baseUrl !== before.baseUrl
        const state = disabled === true ? 'disabled' : disabled === false || newAccess ? 'untested' : before.state
        const cipher = appSecret === undefined ? before.cipher : vendors.seal(id, appSecret)
        if (!(await repo.update(scope, id, version, { ...next, cipher, state, newAccess })))
          throw new AppError('version.conflict', { params: { current: accountView(before) } })
        const row = await known(scope, id)
        await recordAudit(scope, ctx, {
          action: 'video_account.update',
          objectType: 'video_account',
          objectId: id,
          objectName: row.name,
          before: shown(before),
          after: { ...shown(row), ...(appSecret === undefined ? {} : { credentials: 'changed' }) },
        })
        return accountView(row)
      }),

    async test(ctx, id) {
      const account = await database.withTenant(ctx, scope => accountFor(scope, id))
      const fault = await vendors
        .of(account)
        .test()
        .then(
          () => null,
          (error: unknown) => {
            if (!(error instanceof VideoError)) throw error
            return { code: error.code, text: error.text }
          },
        )
      return database.withTenant(ctx, async scope => {
        await repo.note(scope, id, fault, { tested: new Date(ctx.now) })
        await recordAudit(scope, ctx, {
          action: 'video_account.test',
          objectType: 'video_account',
          objectId: id,
          objectName: account.name,
          after: { ok: fault === null, ...(fault ? { said: fault.text, answer: fault.code } : {}) },
          result: fault === null ? 'ok' : 'failed',
        })
        return accountView(await known(scope, id))
      })
    },

    async sync(ctx, id) {
      const account = await database.withTenant(ctx, scope => accountFor(scope, id))
      const at = new Date(ctx.now)
      const counts = { channels: 0, added: 0, gone: 0 }
      try {
        for await (const page of vendors.of(account).channels()) {
          const stored = await database.withTenant(ctx, async scope => {
            if ((await channels.count(scope)) + page.length > MAX_CHANNELS + counts.channels)
              throw new AppError('video.limit', { params: { limit: MAX_CHANNELS } })
            return channels.put(scope, id, page, at)
          })
          counts.channels += stored.length
          counts.added += stored.filter(({ fresh }) => fresh).length
        }
        for await (const page of vendors.of(account).devices())
          await database.withTenant(ctx, scope => channels.putDevices(scope, id, page))
      } catch (error) {
        if (error instanceof VideoError)
          await database.withTenant(ctx, scope => repo.note(scope, id, { code: error.code, text: error.text }))
        throw vendorError(error)
      }
      await database.withTenant(ctx, async scope => {
        // Only a list that was read to its end says that something is gone.
        counts.gone = await channels.gone(scope, id, at)
        await repo.note(scope, id, null, { synced: at })
        await recordAudit(scope, ctx, {
          action: 'video_account.sync',
          objectType: 'video_account',
          objectId: id,
          objectName: account.name,
          after: counts,
        })
      })
      return counts
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id)
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'video_account.remove',
          objectType: 'video_account',
          objectId: id,
          objectName: before.name,
          before: { ...shown(before), channels: before.channels },
        })
        return { ok: true }
      }),

    async addDevice(ctx, { accountId, serial, code, name }) {
      const account = await database.withTenant(ctx, scope => accountFor(scope, accountId))
      const vendor = vendors.of(account)
      const upper = serial.toUpperCase()
      let found: Awaited<ReturnType<typeof vendor.channelsOf>>
      try {
        try {
          await vendor.add(upper, code)
        } catch (error) {
          // It is in this account already, added in the vendor's own app say: it is listed all the same.
          if (!(error instanceof VideoError) || error.code !== ALREADY_OWN) throw error
        }
        if (name) await vendor.rename(upper, name)
        found = await vendor.channelsOf(upper)
      } catch (error) {
        throw vendorError(error, 'serial')
      }
      return database.withTenant(ctx, async scope => {
        const stored = await channels.put(scope, accountId, found, new Date(ctx.now))
        const items = []
        for (const { id } of stored) {
          await channels.keepCode(scope, id, vendors.sealCode(id, code.toUpperCase()))
          items.push(channelView((await channels.find(scope, id))!))
        }
        await recordAudit(scope, ctx, {
          action: 'video_channel.create',
          objectType: 'video_channel',
          ...(stored[0] ? { objectId: stored[0].id } : {}),
          objectName: upper,
          after: { account: account.name, serial: upper, channels: stored.length },
        })
        return { items }
      })
    },
  }
}

const ALREADY_OWN = '20017'

function accountView({
  tenantId: _,
  cipher: __,
  tokenCipher: ___,
  tokenHost: ____,
  ...row
}: repo.AccountRow): VideoAccountView {
  return {
    ...row,
    tokenExpiresAt: row.tokenExpiresAt?.toISOString() ?? null,
    testedAt: row.testedAt?.toISOString() ?? null,
    syncedAt: row.syncedAt?.toISOString() ?? null,
  }
}
