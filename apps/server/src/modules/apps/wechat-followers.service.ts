import { randomBytes } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type {
  FollowerView,
  SceneView,
  WechatMenu,
  WechatMenuView,
  WechatReplies,
  wechatFollowersContract,
} from '@thingwright/contracts/wechat-followers.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import type { ContactsService } from '../contacts/index.ts'
import { fieldsIn } from './applet-message-templates.ts'
import { WechatError } from './wechat.port.ts'
import * as accounts from './wechat-accounts.repo.ts'
import { createBinder } from './wechat-binder.ts'
import type { WechatClient } from './wechat-client.ts'
import * as repo from './wechat-followers.repo.ts'
import { toWechatMenu } from './wechat-menu.ts'

type Contract = typeof wechatFollowersContract

export interface WechatFollowersService {
  list(ctx: Ctx, id: string, query: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError contact.not_found, wechat.failed with what WeChat said */
  scene(ctx: Ctx, id: string, contactId: string): Promise<SceneView>
  /** @throws AppError wechat_follower.not_found, contact.not_found */
  bind(ctx: Ctx, id: string, followerId: string, contactId: string): Promise<FollowerView>
  unbind(ctx: Ctx, id: string, followerId: string): Promise<FollowerView>
  menu(ctx: Ctx, id: string): Promise<WechatMenuView>
  /** @throws AppError wechat.failed, wechat_menu.invalid */
  setMenu(ctx: Ctx, id: string, menu: BodyOf<Contract['setMenu']>): Promise<WechatMenuView>
  /** Keeps a menu here that WeChat does not get before it is published. @throws AppError wechat_menu.invalid */
  keepMenu(ctx: Ctx, id: string, menu: WechatMenu): Promise<void>
  replies(ctx: Ctx, id: string): Promise<WechatReplies>
  setReplies(ctx: Ctx, id: string, replies: BodyOf<Contract['setReplies']>): Promise<WechatReplies>
  templates(ctx: Ctx, id: string): Promise<ResponseOf<Contract['templates']>>
}

export interface WechatFollowersDeps {
  database: Database
  client: WechatClient
  contacts: ContactsService
  now(): number
}

const SCENE_SECONDS = 600
/** WeChat: there is no menu to remove. */
const NO_MENU = 46003

export function createWechatFollowers(deps: WechatFollowersDeps): WechatFollowersService {
  const { database, client } = deps
  const binder = createBinder(deps)

  async function account(scope: TenantScope, id: string): Promise<accounts.AccountRow> {
    const row = await accounts.find(scope, id)
    if (!row) throw new AppError('wechat_account.not_found')
    return row
  }

  async function known(scope: TenantScope, id: string, followerId: string): Promise<repo.FollowerRow> {
    await account(scope, id)
    const row = await repo.find(scope, id, followerId)
    if (!row) throw new AppError('wechat_follower.not_found')
    return row
  }

  /** Asks WeChat; what it says against it is the answer to the caller. */
  async function ask(row: accounts.AccountRow, path: string, body?: object): Promise<Record<string, unknown>> {
    try {
      return await client.ask(row, path, body)
    } catch (error) {
      if (!(error instanceof WechatError)) throw error
      throw new AppError('wechat.failed', { params: { said: error.message }, cause: error })
    }
  }

  const note = (
    scope: TenantScope,
    ctx: Ctx,
    verb: 'scene' | 'menu' | 'replies',
    row: accounts.AccountRow,
    after: object,
  ) =>
    recordAudit(scope, ctx, {
      action: `wechat_account.${verb}`,
      objectType: 'wechat_account',
      objectId: row.id,
      objectName: row.name,
      after: after as Record<string, unknown>,
    })

  const noteBound = (
    scope: TenantScope,
    ctx: Ctx,
    verb: 'rebind' | 'unbind',
    row: repo.FollowerRow,
    was: string | null,
  ) =>
    recordAudit(scope, ctx, {
      action: `wechat_follower.${verb}`,
      objectType: 'wechat_follower',
      objectId: row.id,
      objectName: row.nickname || row.openid,
      before: { contact: was },
      after: { contact: row.contactName },
    })

  return {
    list: (ctx, id, input) =>
      readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          await account(scope, id)
          const limit = input.limit ?? 20
          const [at, last] = (decodeCursor(input.cursor, 2) ?? []) as string[]
          const flag = (text: '0' | '1' | undefined) => (text === undefined ? null : text === '1')
          const filter = {
            q: input.q?.trim() ?? '',
            bound: flag(input.bound),
            subscribed: flag(input.subscribed),
          }
          const rows = await repo.list(scope, id, filter, at && last ? { at, id: last } : null, limit + 1)
          const page = rows.slice(0, limit)
          const end = page.at(-1)
          return {
            items: page.map(toView),
            nextCursor: rows.length > limit && end ? encodeCursor([end.createdAt.toISOString(), end.id]) : null,
          }
        }),
      ),

    async scene(ctx, id, contactId) {
      const contact = await deps.contacts.get(ctx, contactId)
      const row = await database.withTenant(ctx, scope => account(scope, id))
      const scene = `tw_${randomBytes(18).toString('base64url').replaceAll('-', '_')}`
      const made = await ask(row, '/cgi-bin/qrcode/create', {
        expire_seconds: SCENE_SECONDS,
        action_name: 'QR_STR_SCENE',
        action_info: { scene: { scene_str: scene } },
      })
      if (typeof made.url !== 'string' || typeof made.ticket !== 'string')
        throw new AppError('wechat.failed', { params: { said: 'no url' } })
      const seconds = Math.min(SCENE_SECONDS, Number(made.expire_seconds ?? SCENE_SECONDS) || SCENE_SECONDS)
      const expiresAt = new Date(deps.now() + seconds * 1_000)
      await database.withTenant(ctx, async scope => {
        await repo.insertScene(scope, { scene, accountId: id, contactId, expiresAt })
        await note(scope, ctx, 'scene', row, { contact: contact.name })
      })
      return { url: made.url, ticket: made.ticket, expiresAt: expiresAt.toISOString() }
    },

    async bind(ctx, id, followerId, contactId) {
      const before = await database.withTenant(ctx, scope => known(scope, id, followerId))
      await binder.bind(ctx, id, followerId, contactId)
      return database.withTenant(ctx, async scope => {
        const row = await known(scope, id, followerId)
        await noteBound(scope, ctx, 'rebind', row, before.contactName)
        return toView(row)
      })
    },

    async unbind(ctx, id, followerId) {
      const before = await database.withTenant(ctx, scope => known(scope, id, followerId))
      await binder.unbind(ctx, id, followerId)
      return database.withTenant(ctx, async scope => {
        const row = await known(scope, id, followerId)
        await noteBound(scope, ctx, 'unbind', row, before.contactName)
        return toView(row)
      })
    },

    menu: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await account(scope, id)
        const stored = await repo.menu(scope, id)
        return { buttons: repo.buttonsOf(stored), published: stored?.waiting !== true }
      }),

    async setMenu(ctx, id, menu) {
      const row = await database.withTenant(ctx, scope => account(scope, id))
      if (menu.buttons.length > 0) await ask(row, '/cgi-bin/menu/create', toWechatMenu(menu))
      else
        await ask(row, '/cgi-bin/menu/delete').catch((error: AppError) => {
          if (!(error.cause instanceof WechatError) || error.cause.code !== NO_MENU) throw error
        })
      return database.withTenant(ctx, async scope => {
        await repo.setMenu(scope, id, { buttons: menu.buttons })
        await note(scope, ctx, 'menu', row, { buttons: menu.buttons.map(button => button.name) })
        return { buttons: menu.buttons, published: true }
      })
    },

    keepMenu: (ctx, id, { buttons }) =>
      database.withTenant(ctx, async scope => {
        const row = await account(scope, id)
        toWechatMenu({ buttons })
        await repo.setMenu(scope, id, { buttons, waiting: true })
        await note(scope, ctx, 'menu', row, { buttons: buttons.map(button => button.name), published: false })
      }),

    replies: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        await account(scope, id)
        return { items: await repo.replies(scope, id) }
      }),

    setReplies: (ctx, id, { items }) =>
      database.withTenant(ctx, async scope => {
        const row = await account(scope, id)
        const at = items.findIndex(item => item.kind === 'keyword' && item.keyword.trim() === '')
        if (at >= 0) throw new AppError('wechat_reply.keyword_missing', { params: { no: at + 1 } })
        const rows = items.map(item => ({ ...item, id: newId(ctx.now), keyword: item.keyword.trim() }))
        await repo.setReplies(scope, id, rows)
        await note(scope, ctx, 'replies', row, { count: rows.length })
        return { items: await repo.replies(scope, id) }
      }),

    async templates(ctx, id) {
      const row = await database.withTenant(ctx, scope => account(scope, id))
      const { template_list: list } = await ask(row, '/cgi-bin/template/get_all_private_template')
      return {
        items: (Array.isArray(list) ? (list as Record<string, unknown>[]) : []).slice(0, 100).map(each => ({
          id: String(each.template_id ?? ''),
          title: String(each.title ?? ''),
          content: String(each.content ?? ''),
          fields: fieldsIn(String(each.content ?? '')),
        })),
      }
    },
  }
}

export function toView(row: repo.FollowerRow): FollowerView {
  return {
    id: row.id,
    openid: row.openid,
    nickname: row.nickname,
    subscribed: row.subscribed,
    subscribedAt: row.subscribedAt?.toISOString() ?? null,
    contact: row.contactId ? { id: row.contactId, name: row.contactName ?? '' } : null,
    boundAt: row.boundAt?.toISOString() ?? null,
    lastAt: row.lastAt.toISOString(),
  }
}
