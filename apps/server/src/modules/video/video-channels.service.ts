import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { StreamView, VideoChannelView, videoChannelsContract } from '@thingwright/contracts/video.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { checkServiceUrl } from '../../lib/outbound/outbound-address.ts'
import { OutboundError } from '../../lib/outbound/outbound-guard.ts'
import { containing } from '../../lib/sql/list.ts'
import { channelView } from './channel-view.ts'
import * as repo from './channels.repo.ts'
import type { StreamRelay } from './stream-relay.ts'
import { accountFor, type Vendors, vendorError } from './vendors.ts'
import type { VideoVendor } from './video.port.ts'

type Contract = typeof videoChannelsContract

export interface VideoChannelsService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  counts(ctx: Ctx): Promise<ResponseOf<Contract['counts']>>
  /** @throws AppError video.not_found */
  get(ctx: Ctx, id: string): Promise<VideoChannelView>
  /** @throws AppError video.stream_kind, video.device_unknown, video.limit */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<VideoChannelView>
  /** @throws AppError video.not_found, version.conflict and what the vendor refuses */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<VideoChannelView>
  remove(ctx: Ctx, id: string, atVendor: boolean): Promise<{ ok: boolean }>
  /** @throws AppError video.code_needed, video.offline, video.vendor */
  live(ctx: Ctx, id: string, input: BodyOf<Contract['live']>): Promise<StreamView>
  /** @throws AppError video.period, video.no_vendor and those of live */
  playback(ctx: Ctx, id: string, input: BodyOf<Contract['playback']>): Promise<StreamView>
  /** @throws AppError video.period, video.no_vendor, video.vendor */
  recordings(ctx: Ctx, id: string, input: QueryOf<Contract['recordings']>): Promise<ResponseOf<Contract['recordings']>>
}

/** An address of a live picture is good for this long; the page asks for another one before. */
const LIVE_SECONDS = 600
const DAY_MS = 86_400_000
const MAX_CHANNELS = 20_000

/** A channel with the client of its account. */
export interface Reached {
  row: repo.ChannelRow
  camera: { serial: string; channelNo: number; code: string | null }
  vendor: VideoVendor
}

/** Finds a channel that has a vendor. @throws AppError video.not_found, video.no_vendor, video.account_disabled */
export async function reach(database: Database, vendors: Vendors, ctx: Ctx, id: string): Promise<Reached> {
  return database.withTenant(ctx, async scope => {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('video.not_found')
    if (row.accountId === null) throw new AppError('video.no_vendor')
    const account = await accountFor(scope, row.accountId)
    const camera = { serial: row.serial!, channelNo: row.channelNo!, code: vendors.codeOf(row) }
    return { row, camera, vendor: vendors.of(account) }
  })
}

export function createVideoChannels({
  database,
  vendors,
  relay,
  outboundAllow,
}: {
  database: Database
  vendors: Vendors
  relay: StreamRelay
  outboundAllow: readonly string[]
}): VideoChannelsService {
  async function checkDevice(scope: TenantScope, deviceId: string | null | undefined): Promise<void> {
    if (deviceId && !(await repo.device(scope, deviceId)))
      throw new AppError('video.device_unknown', { fields: { deviceId: { code: 'video.device_unknown' } } })
  }

  function checkAddress(text: string): void {
    try {
      checkServiceUrl(outboundAllow, text)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      const problem = { code: 'video.address_blocked', params: { reason: error.message } } as const
      throw new AppError(problem.code, { params: problem.params, fields: { streamUrl: problem } })
    }
  }

  const known = async (scope: TenantScope, id: string) => {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('video.not_found')
    return row
  }

  const streamOf = (id: string, url: string, kind: 'hls' | 'flv', until: number): StreamView => ({
    url: relay.wrap(id, url, until),
    kind,
    expiresAt: new Date(until).toISOString(),
  })

  return {
    list: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const limit = input.limit ?? 20
        const sort = parseSort(input.sort, repo.CHANNEL_SORTS, 'name')
        const { q: text, accountId, source, state, bound, deviceId } = input
        const q = text?.trim()
        const filter: repo.ChannelFilter = {
          ...(q ? { q: containing(q) } : {}),
          ...(accountId ? { accountId } : {}),
          ...(source ? { source } : {}),
          ...(state ? { state } : {}),
          ...(bound ? { bound } : {}),
          ...(deviceId ? { deviceId } : {}),
        }
        const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
        const { rows } = await readFrom(input.cursor, () =>
          scope.run(...repo.CHANNELS.page({ filter, sort, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const total = input.total === '1' ? (await scope.run(...repo.CHANNELS.count(filter))).rows[0]!.n : undefined
        return {
          items: page.map(({ position: _, ...row }) => channelView(row)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      }),

    counts: ctx => database.withTenant(ctx, scope => repo.counts(scope)),

    get: (ctx, id) => database.withTenant(ctx, async scope => channelView(await known(scope, id))),

    create: (ctx, { name, streamUrl, deviceId }) =>
      database.withTenant(ctx, async scope => {
        checkStream(streamUrl)
        checkAddress(streamUrl)
        await checkDevice(scope, deviceId)
        if ((await repo.count(scope)) >= MAX_CHANNELS)
          throw new AppError('video.limit', { params: { limit: MAX_CHANNELS } })
        const id = newId(ctx.now)
        await repo.insert(scope, { id, name, streamUrl, deviceId: deviceId ?? null })
        const view = channelView(await known(scope, id))
        await recordAudit(scope, ctx, {
          action: 'video_channel.create',
          objectType: 'video_channel',
          objectId: id,
          objectName: name,
          after: { address: new URL(streamUrl).host, deviceId: view.deviceId },
        })
        return view
      }),

    async update(ctx, id, { version, code, ...input }) {
      const before = await database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        if (row.version !== version) throw new AppError('version.conflict', { params: { current: channelView(row) } })
        if (input.streamUrl !== undefined) {
          if (row.accountId !== null) throw new AppError('video.no_vendor')
          checkStream(input.streamUrl)
          checkAddress(input.streamUrl)
        }
        await checkDevice(scope, input.deviceId)
        return row
      })
      const renamed = input.name !== undefined && input.name !== before.name
      // A recorder's channels have names of their own here: the vendor has one name for the whole device.
      if (renamed && before.accountId !== null && before.channelNo === 1) {
        const { vendor, camera } = await reach(database, vendors, ctx, id)
        await vendor.rename(camera.serial, input.name!).catch((error: unknown) => {
          throw vendorError(error, 'name')
        })
      }
      return database.withTenant(ctx, async scope => {
        const next = {
          name: input.name ?? before.name,
          renamed,
          streamUrl: input.streamUrl ?? before.streamUrl,
          deviceId: input.deviceId === undefined ? before.deviceId : input.deviceId,
          codeCipher: code === undefined ? before.codeCipher : code === null ? null : vendors.sealCode(id, code),
        }
        const write = async () => {
          if (!(await repo.update(scope, id, version, next)))
            throw new AppError('version.conflict', { params: { current: channelView(before) } })
          return channelView(await known(scope, id))
        }
        // A caller with a data scope no longer sees a camera once it is taken from its device.
        const view = await (next.deviceId ? write() : scope.wholeCompany('hand-over', write))
        await recordAudit(scope, ctx, {
          action: 'video_channel.update',
          objectType: 'video_channel',
          objectId: id,
          objectName: view.name,
          before: { name: before.name, deviceId: before.deviceId },
          after: { name: view.name, deviceId: view.deviceId, ...(code === undefined ? {} : { code: 'changed' }) },
        })
        return view
      })
    },

    async remove(ctx, id, atVendor) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      if (atVendor) {
        const { vendor, camera } = await reach(database, vendors, ctx, id)
        await vendor.remove(camera.serial).catch((error: unknown) => {
          throw vendorError(error)
        })
      }
      return database.withTenant(ctx, async scope => {
        // At the vendor all channels of the device go.
        if (atVendor) await repo.removeDevice(scope, row.accountId!, row.serial!)
        else await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'video_channel.remove',
          objectType: 'video_channel',
          objectId: id,
          objectName: row.name,
          before: { serial: row.serial, atVendor },
        })
        return { ok: true }
      })
    },

    async live(ctx, id, { kind = 'hls', quality = 'main' }) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      if (row.streamUrl !== null) return streamOf(id, row.streamUrl, checkStream(row.streamUrl), ctx.now + DAY_MS)
      const { vendor, camera } = await reach(database, vendors, ctx, id)
      if (row.encrypted && camera.code === null) throw new AppError('video.code_needed')
      try {
        const { url, expiresAt } = await vendor.live(camera, { kind, quality, seconds: LIVE_SECONDS })
        return streamOf(id, url, kind, expiresAt ?? ctx.now + LIVE_SECONDS * 1_000)
      } catch (error) {
        throw vendorError(error)
      }
    },

    async recordings(ctx, id, { from, to, source }) {
      const [begin, end] = spanOf(from, to)
      const { vendor, camera } = await reach(database, vendors, ctx, id)
      const found = await vendor.recordings(camera, { from: begin, to: end, source }).catch((error: unknown) => {
        throw vendorError(error)
      })
      return {
        items: found
          .map(one => ({ from: Math.max(begin, one.from), to: Math.min(end, one.to) }))
          .filter(one => one.to > one.from)
          .sort((a, b) => a.from - b.from)
          .map(one => ({ from: new Date(one.from).toISOString(), to: new Date(one.to).toISOString() })),
      }
    },

    async playback(ctx, id, { from, to, source }) {
      const [begin, end] = spanOf(from, to)
      // Of a cloud recording the vendor plays what lies within one of its own days.
      if (source === 'cloud' && vendorDay(begin) !== vendorDay(end)) throw wrongSpan()
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      if (row.encrypted && camera.code === null) throw new AppError('video.code_needed')
      try {
        const { url, expiresAt } = await vendor.playback(camera, { from: begin, to: end, source })
        return streamOf(id, url, 'flv', expiresAt ?? ctx.now + DAY_MS)
      } catch (error) {
        throw vendorError(error)
      }
    },
  }
}

const wrongSpan = () => new AppError('video.period', { fields: { to: { code: 'video.period' } } })
const vendorDay = (at: number) => Math.floor((at + 8 * 3_600_000) / DAY_MS)

/** @throws AppError video.period */
function spanOf(from: string, to: string): [begin: number, end: number] {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  if (end <= begin || end - begin > DAY_MS) throw wrongSpan()
  return [begin, end]
}

/** What an address plays. @throws AppError video.stream_kind */
function checkStream(text: string): 'hls' | 'flv' {
  const url = URL.canParse(text) ? new URL(text) : null
  const kind = /\.m3u8$/i.test(url?.pathname ?? '') ? 'hls' : /\.flv$/i.test(url?.pathname ?? '') ? 'flv' : null
  if (url === null || kind === null || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new AppError('video.stream_kind', { fields: { streamUrl: { code: 'video.stream_kind' } } })
  return kind
}
