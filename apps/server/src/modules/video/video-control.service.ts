import type { Readable } from 'node:stream'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  PresetView,
  SnapshotView,
  VideoChannelView,
  videoChannelsContract,
} from '@thingwright/contracts/video.contract'
import { type AuditRecord, recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { StreamReply } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { Logger } from '../../lib/log.ts'
import { imageType } from '../tenants/index.ts'
import { channelView } from './channel-view.ts'
import * as repo from './channels.repo.ts'
import { type Vendors, vendorError } from './vendors.ts'
import { reach } from './video-channels.service.ts'

type Contract = typeof videoChannelsContract

/** What is needed of the object store (modules/media/object-store.port.ts). */
export interface PictureStore {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>
  get(key: string): Promise<{ body: Readable; size: number; contentType: string } | null>
}

export interface VideoControlService {
  /** @throws AppError video.no_ptz, video.offline, video.no_vendor */
  turn(ctx: Ctx, id: string, input: BodyOf<Contract['turn']>): Promise<{ stopsAt: string }>
  halt(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** @throws AppError video.offline, video.no_vendor */
  arm(ctx: Ctx, id: string, armed: boolean): Promise<VideoChannelView>
  presets(ctx: Ctx, id: string): Promise<{ items: PresetView[] }>
  addPreset(ctx: Ctx, id: string, name: string): Promise<PresetView>
  /** @throws AppError video.preset_not_found */
  goPreset(ctx: Ctx, id: string, presetId: string): Promise<{ ok: boolean }>
  removePreset(ctx: Ctx, id: string, presetId: string): Promise<{ ok: boolean }>
  /** @throws AppError video.offline, video.too_often */
  snapshot(ctx: Ctx, id: string, alarmId?: string | null): Promise<SnapshotView>
  /** @throws AppError alarm.not_found */
  picturesOfAlarm(ctx: Ctx, alarmId: string): Promise<ResponseOf<Contract['ofAlarm']>>
  snapshots(ctx: Ctx, id: string, input: QueryOf<Contract['snapshots']>): Promise<ResponseOf<Contract['snapshots']>>
  /** @throws AppError video.picture_not_found */
  picture(ctx: Ctx, id: string): Promise<StreamReply>
  /** Ends the timers that stop cameras. */
  stop(): Promise<void>
}

/** A camera that nobody stops, because a browser went away say, stops after this. */
const TURN_MS = 10_000

/** Turning, presets and pictures of cameras. */
export function createVideoControl(deps: {
  database: Database
  vendors: Vendors
  store: PictureStore
  logger: Logger
}): VideoControlService {
  const { database, vendors, store, logger } = deps
  const turning = new Map<string, { way: string; timer: NodeJS.Timeout; halt(): Promise<void> }>()

  const call = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw vendorError(error)
    })
  const log = (ctx: Ctx, id: string, record: Omit<AuditRecord, 'objectType' | 'objectId'>) =>
    database.withTenant(ctx, scope => recordAudit(scope, ctx, { objectType: 'video_channel', objectId: id, ...record }))

  async function channelOf(scope: TenantScope, id: string): Promise<void> {
    if (!(await repo.find(scope, id))) throw new AppError('video.not_found')
  }

  async function presetOf(ctx: Ctx, id: string, presetId: string) {
    const list = await database.withTenant(ctx, scope => repo.presets(scope, id))
    const preset = list.find(each => each.id === presetId)
    if (!preset) throw new AppError('video.preset_not_found')
    return preset
  }

  return {
    async turn(ctx, id, { direction, speed = 'medium' }) {
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      // The vendor wants a camera stopped before it turns another way.
      const before = turning.get(id)
      const way = `${direction}/${speed}`
      const stopsAt = () => new Date(Date.now() + TURN_MS).toISOString()
      if (before?.way === way) {
        before.timer.refresh()
        return { stopsAt: stopsAt() }
      }
      if (before) {
        clearTimeout(before.timer)
        turning.delete(id)
        await call(before.halt())
      }
      await call(vendor.turn(camera, direction, speed))
      const halt = () => vendor.halt(camera)
      const timer = setTimeout(() => {
        turning.delete(id)
        halt().catch((error: unknown) => logger.warn({ err: error, channel: id }, 'a camera could not be stopped'))
      }, TURN_MS)
      turning.set(id, { way, timer, halt })
      await log(ctx, id, { action: 'video_channel.turn', objectName: row.name, after: { direction, speed } })
      return { stopsAt: stopsAt() }
    },

    async halt(ctx, id) {
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      const before = turning.get(id)
      if (before) clearTimeout(before.timer)
      turning.delete(id)
      await call(vendor.halt(camera))
      await log(ctx, id, { action: 'video_channel.halt', objectName: row.name })
      return { ok: true }
    },

    async arm(ctx, id, armed) {
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      await call(vendor.arm(camera.serial, armed))
      return database.withTenant(ctx, async scope => {
        await repo.keepArmed(scope, row.accountId!, camera.serial, armed)
        await recordAudit(scope, ctx, {
          action: 'video_channel.arm',
          objectType: 'video_channel',
          objectId: id,
          objectName: row.name,
          before: { armed: row.armed },
          after: { armed },
        })
        return channelView((await repo.find(scope, id))!)
      })
    },

    presets: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await channelOf(scope, id)
        return { items: await repo.presets(scope, id) }
      }),

    async addPreset(ctx, id, name) {
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      const index = await call(vendor.addPreset(camera))
      return database.withTenant(ctx, async scope => {
        const preset = { id: newId(ctx.now), channelId: id, index, name }
        await repo.insertPreset(scope, preset)
        await recordAudit(scope, ctx, {
          action: 'video_preset.create',
          objectType: 'video_preset',
          objectId: preset.id,
          objectName: name,
          after: { channel: row.name, index },
        })
        return (await repo.presets(scope, id)).find(each => each.index === index)!
      })
    },

    async goPreset(ctx, id, presetId) {
      const preset = await presetOf(ctx, id, presetId)
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      await call(vendor.goPreset(camera, preset.index))
      await log(ctx, id, { action: 'video_channel.turn', objectName: row.name, after: { preset: preset.name } })
      return { ok: true }
    },

    async removePreset(ctx, id, presetId) {
      const preset = await presetOf(ctx, id, presetId)
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      await call(vendor.removePreset(camera, preset.index))
      await database.withTenant(ctx, async scope => {
        await repo.removePreset(scope, presetId)
        await recordAudit(scope, ctx, {
          action: 'video_preset.remove',
          objectType: 'video_preset',
          objectId: presetId,
          objectName: preset.name,
          before: { channel: row.name, index: preset.index },
        })
      })
      return { ok: true }
    },

    async snapshot(ctx, id, alarmId = null) {
      const { row, vendor, camera } = await reach(database, vendors, ctx, id)
      const bytes = await call(vendor.picture(camera))
      const contentType = imageType(bytes)
      if (!contentType) throw new AppError('video.vendor', { params: { code: '', text: 'not a picture' } })
      const made = { id: newId(ctx.now), channelId: id, at: new Date(ctx.now), by: actorName(ctx.actor) ?? '', alarmId }
      const objectKey = `company/${row.tenantId}/video/${made.id}`
      await store.put(objectKey, bytes, { contentType, size: bytes.length })
      await database.withTenant(ctx, async scope => {
        await repo.insertSnapshot(scope, { ...made, objectKey, contentType })
        await recordAudit(scope, ctx, {
          action: 'video_channel.snapshot',
          objectType: 'video_channel',
          objectId: id,
          objectName: row.name,
          after: { snapshot: made.id, bytes: bytes.length, ...(alarmId === null ? {} : { alarm: alarmId }) },
        })
      })
      return { ...made, at: made.at.toISOString() }
    },

    snapshots: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        await channelOf(scope, id)
        const limit = input.limit ?? 20
        const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
        const rows = await readFrom(input.cursor, () => repo.snapshots(scope, id, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(snapshotView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.at.toISOString(), last.id]) : null,
        }
      }),

    picturesOfAlarm: (ctx, alarmId) =>
      database.withTenant(ctx, async scope => {
        if (!(await repo.isAlarm(scope, alarmId))) throw new AppError('alarm.not_found')
        const rows = await repo.picturesOf(scope, alarmId)
        return { items: rows.map(row => ({ ...snapshotView(row), channelName: row.channelName })) }
      }),

    async picture(ctx, id) {
      const row = await database.withTenant(ctx, scope => repo.snapshot(scope, id))
      const found = row && (await store.get(row.objectKey))
      if (!row || !found) throw new AppError('video.picture_not_found')
      return new StreamReply(found.body, row.contentType, `${id}.${row.contentType.split('/')[1]}`)
    },

    async stop() {
      const open = [...turning.values()]
      turning.clear()
      for (const { timer } of open) clearTimeout(timer)
      await Promise.allSettled(open.map(({ halt }) => halt()))
    },
  }
}

const snapshotView = ({ id, channelId, by, at, alarmId }: repo.SnapshotRow): SnapshotView => ({
  id,
  channelId,
  by,
  alarmId,
  at: at.toISOString(),
})
