import { randomBytes } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  cloudPagesContract,
  PageDetail,
  PageLinkView,
  PageView,
} from '@thingwright/contracts/cloud-pages.contract'
import { MAX_PAGES, RESERVED_SUFFIXES } from '@thingwright/contracts/cloud-pages.words'
import { coverOf, emptyScene, type Scene } from '@thingwright/scene'
import { recordAudit } from '../../lib/audit.ts'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import { secretHash } from '../../lib/crypto/secrets.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { sanitiseDrawing } from '../../lib/files/svg-drawing.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { claimMaterials } from '../media/index.ts'
import * as repo from './cloud-pages.repo.ts'
import { checkedScene, difference, storedScene, writes } from './page-document.ts'
import { holdMaterials } from './page-materials.ts'
import { hashOf } from './page-secrets.ts'
import { deviceStates } from './page-visits.repo.ts'

type Contract = typeof cloudPagesContract
type List = { items: PageView[]; nextCursor: string | null; total?: number }

export interface CloudPagesService {
  list(ctx: Ctx, query: QueryOf<Contract['list']>): Promise<List>
  /** @throws AppError page.invalid, page.suffix_taken, page.suffix_reserved, page.limit */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<PageDetail>
  get(ctx: Ctx, id: string): Promise<PageDetail>
  /** @throws AppError version.conflict, page.passcode_missing, page.pin_missing, page.roles_missing */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<PageView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  batch(ctx: Ctx, input: BodyOf<Contract['batch']>): Promise<ResponseOf<Contract['batch']>>
  /** @throws AppError page.invalid, page.draft_conflict with who saved it */
  saveDraft(ctx: Ctx, id: string, input: BodyOf<Contract['saveDraft']>): Promise<PageView>
  /** @throws AppError page.device_unknown, page.device_product, page.needs_command, page.passcode_missing, page.pin_missing */
  publish(ctx: Ctx, id: string, note: string): Promise<PageView>
  withdraw(ctx: Ctx, id: string): Promise<PageView>
  versions(ctx: Ctx, id: string, query: QueryOf<Contract['versions']>): Promise<ResponseOf<Contract['versions']>>
  version(ctx: Ctx, id: string, no: number): Promise<{ no: number; scene: unknown }>
  restore(ctx: Ctx, id: string, no: number): Promise<PageDetail>
  links(ctx: Ctx, id: string): Promise<{ items: PageLinkView[] }>
  createLink(ctx: Ctx, id: string, input: { name: string; days: number }): Promise<PageLinkView & { path: string }>
  revokeLink(ctx: Ctx, id: string, linkId: string): Promise<{ ok: boolean }>
  /** The draft with the caller's right to see it. */
  draft(ctx: Ctx, id: string): Promise<Scene>
}

const DAY_MS = 86_400_000

export function createCloudPagesService({ database }: { database: Database }): CloudPagesService {
  async function known(scope: TenantScope, id: string, lock = false): Promise<repo.PageRow> {
    const row = await repo.find(scope, id, lock)
    if (!row) throw new AppError('page.not_found')
    return row
  }

  const view = async (scope: TenantScope, id: string) => toView(await known(scope, id))
  const detail = async (scope: TenantScope, id: string): Promise<PageDetail> => ({
    ...(await view(scope, id)),
    scene: await repo.sceneOf(scope, id),
  })
  const log = (
    scope: TenantScope,
    ctx: Ctx,
    action: string,
    page: { id: string; name: string },
    facts: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
  ) => recordAudit(scope, ctx, { action, objectType: 'page', objectId: page.id, objectName: page.name, ...facts })

  async function address(scope: TenantScope, suffix: string, id: string): Promise<void> {
    if ((RESERVED_SUFFIXES as readonly string[]).includes(suffix))
      throw new AppError('page.suffix_reserved', {
        params: { suffix },
        fields: { suffix: { code: 'page.suffix_reserved', params: { suffix } } },
      })
    if (!(await repo.takeAddress(scope, suffix, id)))
      throw new AppError('page.suffix_taken', {
        params: { suffix },
        fields: { suffix: { code: 'page.suffix_taken', params: { suffix } } },
      })
  }

  /** Every device that the page could show is one that the publisher sees, of the product that its role names. */
  async function checkDevices(scope: TenantScope, scene: Scene): Promise<void> {
    const ids = [
      ...new Set(scene.roles.flatMap(({ deviceId, choices }) => [...(deviceId ? [deviceId] : []), ...choices])),
    ]
    const states = new Map((await deviceStates(scope, ids)).map(state => [state.id, state]))
    const fields: NonNullable<ConstructorParameters<typeof AppError>[1]>['fields'] = {}
    for (const [i, { key, name, productId, deviceId, choices }] of scene.roles.entries())
      for (const id of [...(deviceId ? [deviceId] : []), ...choices]) {
        const state = states.get(id)
        const params = { role: name || key }
        if (!state) fields[`scene.roles.${i}.deviceId`] = { code: 'page.device_unknown', params }
        else if (productId && state.productId !== productId)
          fields[`scene.roles.${i}.deviceId`] = { code: 'page.device_product', params }
      }
    if (Object.keys(fields).length > 0) throw new AppError('page.invalid', { fields })
  }

  const service: CloudPagesService = {
    list(ctx, query) {
      const limit = query.limit ?? 20
      const sort = parseSort(query.sort, repo.PAGE_SORTS, '-createdAt')
      const position = decodeCursor(query.cursor, 2)
      const after = position === null ? null : ([String(position[0]), String(position[1])] as const)
      const { state, kind, visibility, userId } = query
      const filter: repo.PageFilter = {
        ...(query.q ? { q: repo.containing(query.q) } : {}),
        ...(state ? { state } : {}),
        ...(kind ? { kind } : {}),
        ...(visibility ? { visibility } : {}),
        ...(userId ? { userId } : {}),
      }
      return database.withTenant(ctx, async scope => {
        const { rows } = await readFrom(query.cursor, () =>
          scope.run(...repo.LIST.page({ filter, sort, after, limit: limit + 1 })),
        )
        const total = query.total === '1' ? (await scope.run(...repo.LIST.count(filter))).rows[0]!.n : undefined
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(toView),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === undefined ? {} : { total }),
        }
      })
    },

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        const scene = input.scene === undefined ? emptyScene(input.kind ?? 'canvas') : checkedScene(input.scene)
        if ((await repo.count(scope)) >= MAX_PAGES) throw new AppError('page.limit', { params: { limit: MAX_PAGES } })
        const id = newId(ctx.now)
        await repo.insert(scope, {
          id,
          tenantId: scope.tenantId,
          name: input.name,
          suffix: input.suffix,
          ...sceneValues(scene),
          cover: scene.nodes.length > 0 ? sanitiseDrawing(coverOf(scene)) : null,
          savedByName: actorName(ctx.actor),
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await address(scope, input.suffix, id)
        if (input.scene !== undefined) await holdMaterials(scope, ctx, await known(scope, id))
        await log(
          scope,
          ctx,
          'page.create',
          { id, name: input.name },
          {
            after: { suffix: input.suffix, kind: scene.kind, nodes: scene.nodes.length },
          },
        )
        return detail(scope, id)
      }),

    get: (ctx, id) => database.withTenant(ctx, scope => detail(scope, id)),
    draft: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        return storedScene(await repo.sceneOf(scope, id))
      }),

    async update(ctx, id, input) {
      const passcodeHash =
        input.passcode === undefined ? undefined : input.passcode === null ? null : await hashOf(input.passcode)
      const pinHash = input.pin === undefined ? undefined : input.pin === null ? null : await hashOf(input.pin)
      return database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.version !== input.version)
          throw new AppError('version.conflict', { params: { current: toView(before) } })
        const visibility = input.visibility ?? before.visibility
        const control = input.control ?? before.control
        const roleIds = input.roleIds ?? before.roleIds
        const passcode = passcodeHash === undefined ? before.passcodeHash : passcodeHash
        const pin = pinHash === undefined ? before.pinHash : pinHash
        if (visibility === 'passcode' && passcode === null) throw fieldError('passcode', 'page.passcode_missing')
        if (control === 'pin' && pin === null) throw fieldError('pin', 'page.pin_missing')
        if (visibility === 'roles' && roleIds.length === 0) throw fieldError('roleIds', 'page.roles_missing')
        if (input.roleIds) {
          const found = await repo.knownRoles(scope, input.roleIds)
          if (!input.roleIds.every(role => found.has(role))) throw fieldError('roleIds', 'page.role_gone')
        }
        if (input.suffix !== undefined && input.suffix !== before.suffix) await address(scope, input.suffix, id)
        // Its visibility changed: visitors have to prove again that they may see it.
        const anew =
          visibility !== before.visibility ||
          passcodeHash !== undefined ||
          roleIds.toString() !== before.roleIds.toString()
        await repo.update(scope, id, {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.suffix === undefined ? {} : { suffix: input.suffix }),
          visibility,
          control,
          roleIds,
          ...(passcodeHash === undefined ? {} : { passcodeHash }),
          ...(pinHash === undefined ? {} : { pinHash }),
          ...(anew ? { epoch: before.epoch + 1 } : {}),
        })
        const after = await known(scope, id)
        await log(scope, ctx, 'page.update', after, { before: facts(before), after: facts(after) })
        scope.tell('pages.changed', { ids: [id] })
        return toView(after)
      })
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        await repo.remove(scope, id)
        await claimMaterials(scope, { objectType: 'cloud_page', objectId: id, label: before.name }, [], [])
        await log(scope, ctx, 'page.remove', before, { before: facts(before) })
        scope.tell('pages.changed', { ids: [id] })
        return { ok: true }
      }),

    async batch(ctx, { ids, action }) {
      const failed: { id: string; code: string; message: string }[] = []
      for (const id of ids) {
        try {
          if (action === 'remove') await service.remove(ctx, id)
          else await service.withdraw(ctx, id)
        } catch (error) {
          if (!isAppError(error)) throw error
          failed.push({ id, code: error.code, message: errorText(ctx.locale, error.code, error.params) })
        }
      }
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'page.batch',
          objectType: 'page',
          after: { action, pages: ids.length, failed: failed.length },
        }),
      )
      return { done: ids.length - failed.length, failed }
    },

    saveDraft: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        const scene = checkedScene(input.scene)
        const cover = input.cover === undefined ? undefined : sanitiseDrawing(input.cover)
        const before = await known(scope, id, true)
        if (before.version !== input.version)
          throw new AppError('page.draft_conflict', {
            params: { name: before.savedByName, current: toView(before) },
          })
        await repo.update(scope, id, {
          ...sceneValues(scene),
          ...(cover === undefined ? {} : { cover }),
          changed: before.publishedNo !== null,
          savedByName: actorName(ctx.actor),
        })
        await holdMaterials(scope, ctx, before)
        await log(scope, ctx, 'page.draft', before, { after: { nodes: scene.nodes.length } })
        return view(scope, id)
      }),

    publish: (ctx, id, note) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        // A page that came in with a company's file has neither until they are set.
        if (before.visibility === 'passcode' && before.passcodeHash === null)
          throw fieldError('passcode', 'page.passcode_missing')
        if (before.control === 'pin' && before.pinHash === null) throw fieldError('pin', 'page.pin_missing')
        const scene = storedScene(await repo.sceneOf(scope, id))
        await checkDevices(scope, scene)
        if (
          writes(scene) &&
          before.control !== 'none' &&
          ctx.actor.kind !== 'system' &&
          !ctx.actor.permissions.has('device:command')
        )
          throw new AppError('page.needs_command')
        const no = (await repo.lastNo(scope, id)) + 1
        const shown = before.publishedNo === null ? undefined : await repo.version(scope, id, before.publishedNo)
        await repo.insertVersion(scope, {
          pageId: id,
          no,
          tenantId: scope.tenantId,
          scene,
          note,
          nodes: scene.nodes.length,
          ...difference(shown ? storedScene(shown.scene) : null, scene),
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
        await repo.update(scope, id, {
          state: 'published',
          publishedNo: no,
          publishedAt: new Date(ctx.now),
          changed: false,
        })
        await holdMaterials(scope, ctx, before)
        await log(scope, ctx, 'page.publish', before, { after: { no, note } })
        scope.tell('pages.changed', { ids: [id] })
        return view(scope, id)
      }),

    withdraw: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        if (before.state !== 'published') throw new AppError('page.nothing_published')
        await repo.update(scope, id, { state: 'withdrawn', epoch: before.epoch + 1 })
        await log(scope, ctx, 'page.withdraw', before, {
          before: { state: before.state },
          after: { state: 'withdrawn' },
        })
        scope.tell('pages.changed', { ids: [id] })
        return view(scope, id)
      }),

    versions: (ctx, id, query) =>
      database.withTenant(ctx, async scope => {
        const page = await known(scope, id)
        const below = decodeCursor(query.cursor, 1)?.[0] ?? 2_147_483_647
        if (!Number.isSafeInteger(below)) throw new AppError('request.cursor_invalid')
        const limit = query.limit ?? 20
        const rows = await repo.versions(scope, id, below as number, limit + 1)
        const items = rows.slice(0, limit)
        return {
          items: items.map(({ no, note, nodes, byName, createdAt, added, removed, changed }) => ({
            ...{ no, note, nodes, byName, added, removed, changed },
            createdAt: createdAt.toISOString(),
            current: page.state === 'published' && page.publishedNo === no,
          })),
          nextCursor: rows.length > limit ? encodeCursor([items.at(-1)!.no]) : null,
        }
      }),

    version: (ctx, id, no) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        const found = await repo.version(scope, id, no)
        if (!found) throw new AppError('page.version_not_found')
        return { no, scene: found.scene }
      }),

    restore: (ctx, id, no) =>
      database.withTenant(ctx, async scope => {
        const before = await known(scope, id, true)
        const found = await repo.version(scope, id, no)
        if (!found) throw new AppError('page.version_not_found')
        const scene = storedScene(found.scene)
        await repo.update(scope, id, {
          ...sceneValues(scene),
          changed: before.publishedNo !== no,
          savedByName: actorName(ctx.actor),
        })
        await holdMaterials(scope, ctx, before)
        await log(scope, ctx, 'page.restore', before, { after: { no } })
        return detail(scope, id)
      }),

    links: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await known(scope, id)
        return { items: (await repo.links(scope, id)).map(row => toLink(row, ctx.now)) }
      }),

    createLink: (ctx, id, { name, days }) =>
      database.withTenant(ctx, async scope => {
        const page = await known(scope, id)
        const token = randomBytes(32).toString('base64url')
        const row = await repo.insertLink(scope, {
          id: newId(ctx.now),
          pageId: id,
          name,
          hash: secretHash(token),
          expiresAt: new Date(ctx.now + days * DAY_MS),
          byName: actorName(ctx.actor),
        })
        await log(scope, ctx, 'page.link_create', page, { after: { link: name, days } })
        return { ...toLink(row, ctx.now), path: `page/${page.suffix}?link=${token}` }
      }),

    revokeLink: (ctx, id, linkId) =>
      database.withTenant(ctx, async scope => {
        const page = await known(scope, id)
        const row = await repo.revokeLink(scope, id, linkId)
        if (!row) throw new AppError('page.link_not_found')
        await log(scope, ctx, 'page.link_revoke', page, { before: { link: row.name } })
        scope.tell('pages.changed', { ids: [id] })
        return { ok: true }
      }),
  }
  return service
}

const fieldError = (
  field: string,
  code: 'page.passcode_missing' | 'page.pin_missing' | 'page.roles_missing' | 'page.role_gone',
) => new AppError(code, { fields: { [field]: { code } } })

const sceneValues = (scene: Scene) => ({
  scene,
  kind: scene.kind,
  width: Math.round(scene.width),
  height: Math.round(scene.height),
  nodes: scene.nodes.length,
})

const facts = ({ name, suffix, visibility, control, roleIds, state }: repo.PageRow) => ({
  ...{ name, suffix, visibility, control, roleIds, state },
})

function toLink(row: repo.LinkRow, now: number): PageLinkView {
  return {
    id: row.id,
    name: row.name,
    expiresAt: row.expiresAt.toISOString(),
    state: row.revokedAt ? 'revoked' : row.expiresAt.getTime() <= now ? 'expired' : 'valid',
    byName: row.byName,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  }
}

function toView(row: repo.PageRow): PageView {
  const { id, name, suffix, kind, state, visibility, control, roleIds, width, height, nodes, cover, publishedNo } = row
  const { changed, ownerId, ownerName, oldSuffixes, version } = row
  return {
    ...{ id, name, suffix, kind, state, visibility, control, roleIds, width, height, nodes, cover, publishedNo },
    ...{ changed, ownerId, ownerName, oldSuffixes, version },
    hasPasscode: row.passcodeHash !== null,
    hasPin: row.pinHash !== null,
    publishedAt: row.publishedAt?.toISOString() ?? null,
    views: Number(row.views),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
