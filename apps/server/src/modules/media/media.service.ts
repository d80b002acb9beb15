import type { MediaDetail, MediaKind, MediaUse, MediaView } from '@thingwright/contracts/media.contract'
import { recordAudit } from '../../lib/audit.ts'
import { inBackground } from '../../lib/background.ts'
import { actorId, actorName, type Ctx, customerOf } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { UploadedFile } from '../../lib/http.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import type { ListPosition } from '../../lib/sql/list.ts'
import { cleanTags, displayName } from './file-names.ts'
import { facts, toUse, toView } from './media.mapping.ts'
import * as repo from './media.repo.ts'
import { holdFolder } from './media-folders.repo.ts'
import type { Intake, TakenIn } from './media-intake.ts'
import type { MediaLinks } from './media-links.ts'

/** Room for a company's bytes, as the company's quotas see it. */
export interface MediaQuota {
  /** Within the transaction. @throws AppError quota.exceeded */
  hold(scope: TenantScope, kind: 'mediaBytes', more: number, used: number): Promise<void>
  /** Bytes; null: no limit. */
  limit(scope: TenantScope): Promise<number | null>
  /** Bytes that an end user's own materials may have. */
  ofUser(scope: TenantScope, userId: string): Promise<number>
}

export interface MediaDeps {
  database: Database
  quota: MediaQuota
  links: MediaLinks
  intake: Intake
}

export interface MediaListInput {
  limit?: number
  cursor?: string
  q?: string
  sort?: string
  total?: '0' | '1'
  kind?: MediaKind
  folderId?: string
  tag?: string
  public?: '0' | '1'
  used?: '0' | '1'
  /** Id of an end user who is visible to the caller; selects his materials instead of the caller's. */
  userId?: string
}

export interface MediaService {
  list(ctx: Ctx, input: MediaListInput): Promise<{ items: MediaView[]; nextCursor: string | null; total?: number }>
  get(ctx: Ctx, id: string): Promise<MediaDetail>
  /** Of the company; of an end user for himself, or for who sees him. */
  usage(
    ctx: Ctx,
    userId?: string,
  ): Promise<{
    usedBytes: number
    quotaBytes: number | null
    count: number
    kinds: { kind: MediaKind; count: number; bytes: number }[]
    tags: { tag: string; count: number }[]
  }>
  upload(
    ctx: Ctx,
    input: { folderId?: string; tags?: string[]; expect?: MediaKind; public?: boolean },
    file: UploadedFile,
  ): Promise<MediaView>
  replace(ctx: Ctx, id: string, input: { version: number }, file: UploadedFile): Promise<MediaView>
  update(
    ctx: Ctx,
    id: string,
    input: { version: number; name?: string; folderId?: string | null; tags?: string[]; public?: boolean },
  ): Promise<MediaView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  batch(
    ctx: Ctx,
    input: { ids: string[]; folderId?: string | null; addTags?: string[]; removeTags?: string[] },
  ): Promise<{ changed: number }>
  removeMany(
    ctx: Ctx,
    ids: string[],
  ): Promise<{ removed: number; kept: { id: string; name: string; usedBy: MediaUse[] }[] }>
  /**
   * For whoever shows a material somewhere, in the transaction of his change: it stays as long as it is claimed.
   * Claiming again only changes the label.
   * @throws AppError media.not_found
   */
  claim(
    scope: TenantScope,
    ctx: Ctx,
    mediaId: string,
    by: { objectType: string; objectId: string; label: string },
  ): Promise<void>
  /** Gives a claim up; without a material, all claims of the object. */
  release(scope: TenantScope, by: { objectType: string; objectId: string }, mediaId?: string): Promise<void>
  /** Bytes stored for a company, for its quotas. */
  usedBytes(tenantId: string): Promise<number>
}

/** Tags of one material, after several changes. */
const MAX_TAGS = 20

const megabytes = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10

export function createMediaService({ database, quota, links, intake }: MediaDeps): MediaService {
  /** @throws AppError media.not_found also for another company's */
  async function existing(scope: TenantScope, id: string): Promise<repo.MediaRow> {
    const row = await repo.findMedia(scope, id)
    if (!row) throw new AppError('media.not_found')
    return row
  }

  /** The bytes become the company's: shared with equal ones, or its own as far as there is room. */
  async function adopt(scope: TenantScope, taken: TakenIn): Promise<void> {
    const known = await repo.findBlob(scope, taken.sha256)
    if (known) {
      scope.afterCommit(() => inBackground('removing an object', intake.discard([taken.objectKey])))
      return
    }
    await quota.hold(scope, 'mediaBytes', taken.size, await repo.usedBytes(scope))
    await repo.insertBlob(scope, taken)
    await repo.forgetLeftover(scope, taken.objectKey)
  }

  async function letGo(scope: TenantScope, hashes: readonly Buffer[]): Promise<void> {
    const keys = await repo.deleteUnusedBlobs(scope, hashes)
    scope.afterCommit(() => inBackground('removing objects', intake.discard(keys)))
  }

  /** Runs a change that takes bytes into use; when it fails they are removed. */
  async function withTaken<T>(taken: TakenIn, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await intake.discard([taken.objectKey])
      throw error
    }
  }

  /** An end user's materials are within his quota, whatever the company has left. @throws AppError media.user_quota_exceeded */
  async function holdOfUser(scope: TenantScope, owner: string | null, more: number): Promise<void> {
    if (owner === null) return
    const [limit, used] = [await quota.ofUser(scope, owner), await repo.usedByUser(scope, owner)]
    if (used + more > limit)
      throw new AppError('media.user_quota_exceeded', { params: { limit: megabytes(limit), used: megabytes(used) } })
  }

  /** It is a folder of the same owner. */
  async function checkFolder(scope: TenantScope, folderId: string | null, owner: string | null): Promise<void> {
    if (folderId !== null && !(await holdFolder(scope, folderId, owner))) throw new AppError('media.folder_not_found')
  }

  const audit = (
    scope: TenantScope,
    ctx: Ctx,
    action: string,
    row: repo.MediaRow,
    before: repo.MediaRow | null,
    after: repo.MediaRow | null,
  ) =>
    recordAudit(scope, ctx, {
      action,
      objectType: 'media',
      objectId: row.id,
      objectName: row.name,
      before: before && facts(before),
      after: after && facts(after),
    })

  return {
    async list(ctx, input) {
      const sort = parseSort(input.sort, repo.MEDIA_SORTS, '-createdAt')
      const after = decodeCursor(input.cursor, 2) as ListPosition | null
      const limit = input.limit ?? 20
      const filter: repo.MediaFilter = {
        ...(input.q === undefined ? {} : { q: input.q }),
        ...(input.kind === undefined ? {} : { kind: input.kind }),
        ...(input.folderId === undefined ? {} : { folderId: input.folderId }),
        ...(input.tag === undefined ? {} : { tag: input.tag }),
        ...(input.public === undefined ? {} : { public: input.public === '1' }),
        ...(input.used === undefined ? {} : { used: input.used === '1' }),
      }
      return database.withTenant(ctx, async scope => {
        const owner = input.userId ?? customerOf(ctx.actor)?.id ?? null
        const rows = await readFrom(input.cursor, () => repo.listMedia(scope, owner, filter, sort, after, limit + 1))
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => toView(row, links, ctx.now)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(input.total === '1' ? { total: await repo.countMedia(scope, owner, filter) } : {}),
        }
      })
    },

    get: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await existing(scope, id)
        return { ...toView(row, links, ctx.now), usedBy: (await repo.usesOf(scope, [id])).map(toUse) }
      }),

    usage: (ctx, userId) =>
      database.withTenant(ctx, async scope => {
        const owner = userId ?? customerOf(ctx.actor)?.id ?? null
        const kinds = await repo.usageByKind(scope, owner)
        return {
          usedBytes: await (owner === null ? repo.usedBytes(scope) : repo.usedByUser(scope, owner)),
          quotaBytes: await (owner === null ? quota.limit(scope) : quota.ofUser(scope, owner)),
          count: kinds.reduce((sum, kind) => sum + kind.count, 0),
          kinds,
          tags: await repo.usageByTag(scope, owner),
        }
      }),

    async upload(ctx, input, file) {
      const folderId = input.folderId ?? null
      const owner = customerOf(ctx.actor)?.id ?? null
      // Before the bytes come: a folder that is not there or a full quota would refuse them anyway.
      await database.withTenant(ctx, async scope => {
        await checkFolder(scope, folderId, owner)
        await holdOfUser(scope, owner, 1)
        await quota.hold(scope, 'mediaBytes', 1, await repo.usedBytes(scope))
      })
      const taken = await intake.take(ctx, file, input.expect)
      return withTaken(taken, () =>
        database.withTenant(ctx, async scope => {
          await repo.lockMedia(scope)
          await checkFolder(scope, folderId, owner)
          await holdOfUser(scope, owner, taken.size)
          await adopt(scope, taken)
          const row = await repo.insertMedia(scope, {
            ...taken,
            id: newId(ctx.now),
            folderId,
            owner,
            name: displayName(file.fileName),
            tags: cleanTags(input.tags ?? []),
            public: input.public ?? false,
            createdBy: actorId(ctx.actor),
            createdByName: actorName(ctx.actor),
          })
          await audit(scope, ctx, 'media.create', row, null, row)
          return toView(row, links, ctx.now)
        }),
      )
    },

    async replace(ctx, id, { version }, file) {
      const check = async (scope: TenantScope) => {
        const row = await existing(scope, id)
        if (row.version !== version)
          throw new AppError('version.conflict', { params: { current: toView(row, links, ctx.now) } })
        return row
      }
      const { kind } = await database.withTenant(ctx, check)
      const taken = await intake.take(ctx, file, kind)
      return withTaken(taken, () =>
        database.withTenant(ctx, async scope => {
          await repo.lockMedia(scope)
          const before = await check(scope)
          await holdOfUser(scope, before.owner_id, taken.size - Number(before.size))
          await adopt(scope, taken)
          const row = await repo.updateContent(scope, id, taken)
          await letGo(scope, [before.sha256])
          await audit(scope, ctx, 'media.replace', row, before, row)
          return toView(row, links, ctx.now)
        }),
      )
    },

    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const [before] = await repo.lockRows(scope, [id])
        if (!before) throw new AppError('media.not_found')
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: toView(before, links, ctx.now) } })
        const folderId = input.folderId === undefined ? before.folder_id : input.folderId
        await checkFolder(scope, folderId, before.owner_id)
        const row = await repo.updateMedia(scope, id, {
          name: input.name === undefined ? before.name : displayName(input.name),
          folderId,
          tags: input.tags === undefined ? before.tags : cleanTags(input.tags),
          public: input.public ?? before.public,
        })
        await audit(scope, ctx, 'media.update', row, before, row)
        return toView(row, links, ctx.now)
      }),

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await repo.lockMedia(scope)
        const [row] = await repo.lockRows(scope, [id])
        if (!row) throw new AppError('media.not_found')
        const uses = await repo.usesOf(scope, [id])
        if (uses.length > 0)
          throw new AppError('media.in_use', { params: { count: uses.length, usedBy: uses.slice(0, 20).map(toUse) } })
        await repo.deleteMedia(scope, [id])
        await letGo(scope, [row.sha256])
        await audit(scope, ctx, 'media.remove', row, row, null)
        return { ok: true }
      }),

    batch: (ctx, { ids, folderId, addTags = [], removeTags = [] }) =>
      database.withTenant(ctx, async scope => {
        const rows = await repo.lockRows(scope, ids)
        if (rows.length !== ids.length) throw new AppError('media.not_found')
        if (folderId !== undefined)
          for (const owner of new Set(rows.map(row => row.owner_id))) await checkFolder(scope, folderId, owner)
        const removed = new Set(cleanTags(removeTags))
        for (const row of rows) {
          const tags = cleanTags([...row.tags.filter(tag => !removed.has(tag)), ...addTags])
          if (tags.length > MAX_TAGS)
            throw new AppError('media.too_many_tags', { params: { name: row.name, limit: MAX_TAGS } })
          await repo.updateMedia(scope, row.id, {
            name: row.name,
            public: row.public,
            folderId: folderId === undefined ? row.folder_id : folderId,
            tags,
          })
        }
        await recordAudit(scope, ctx, {
          action: 'media.batch',
          objectType: 'media',
          objectName: rows
            .map(row => row.name)
            .join(', ')
            .slice(0, 200),
          before: { items: rows.map(row => ({ id: row.id, folderId: row.folder_id, tags: row.tags })) },
          after: { ...(folderId === undefined ? {} : { folderId }), addTags, removeTags },
        })
        return { changed: rows.length }
      }),

    removeMany: (ctx, ids) =>
      database.withTenant(ctx, async scope => {
        await repo.lockMedia(scope)
        const rows = await repo.lockRows(scope, ids)
        const uses = await repo.usesOf(scope, ids, 2000)
        const kept = rows.filter(row => row.uses > 0)
        const gone = rows.filter(row => row.uses === 0)
        await repo.deleteMedia(
          scope,
          gone.map(row => row.id),
        )
        await letGo(
          scope,
          gone.map(row => row.sha256),
        )
        await recordAudit(scope, ctx, {
          action: 'media.remove_many',
          objectType: 'media',
          objectName: gone
            .map(row => row.name)
            .join(', ')
            .slice(0, 200),
          before: { items: gone.map(row => ({ id: row.id, ...facts(row) })) },
          after: { kept: kept.map(row => ({ id: row.id, name: row.name })) },
          result: gone.length === 0 ? 'refused' : 'ok',
        })
        return {
          removed: gone.length,
          kept: kept.map(row => ({
            id: row.id,
            name: row.name,
            usedBy: uses
              .filter(use => use.media_id === row.id)
              .slice(0, 20)
              .map(toUse),
          })),
        }
      }),

    async claim(scope, _ctx, mediaId, by) {
      if (!(await repo.holdMedia(scope, mediaId))) throw new AppError('media.not_found')
      await repo.insertUse(scope, mediaId, by)
    },

    release: (scope, by, mediaId) => repo.deleteUses(scope, by, mediaId ?? null),

    usedBytes: tenantId => database.withTenant({ tenantId }, repo.usedBytes),
  }
}
