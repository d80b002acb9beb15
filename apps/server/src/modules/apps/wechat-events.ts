import { recordAudit } from '../../lib/audit.ts'
import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { type ContactsService, noteReceiptOf } from '../contacts/index.ts'
import { WechatError } from './wechat.port.ts'
import type { AccountRow } from './wechat-accounts.repo.ts'
import { createBinder } from './wechat-binder.ts'
import type { WechatMessage } from './wechat-callbacks.service.ts'
import type { WechatClient } from './wechat-client.ts'
import * as repo from './wechat-followers.repo.ts'
import { textIn } from './wechat-xml.ts'

export interface WechatEventsDeps {
  database: Database
  client: WechatClient
  contacts: ContactsService
  logger: Logger
  now(): number
}

/** What follows from what a follower does. @returns the text that he is answered; null: none */
export type OnMessage = (account: AccountRow, message: WechatMessage) => Promise<string | null>

export function createWechatEvents(deps: WechatEventsDeps): OnMessage {
  const { database } = deps
  const binder = createBinder(deps)
  const read = <T>(work: Parameters<typeof database.withSystemScope<T>>[1]) => database.withSystemScope('apps', work)

  async function seen(account: AccountRow, openid: string, subscribed: boolean): Promise<repo.FollowerRow | undefined> {
    const at = new Date(deps.now())
    return read(async scope => {
      const { tenantId, id: accountId } = account
      await repo.noteSeen(scope, { id: newId(deps.now()), tenantId, accountId, openid, subscribed, at })
      return repo.ofOpenid(scope, accountId, openid)
    })
  }

  /** Binds the WeChat user who scanned the code of a contact. */
  async function bindScene(account: AccountRow, follower: repo.FollowerRow, scene: string): Promise<void> {
    const contactId = await read(scope => repo.useScene(scope, account.id, scene, new Date(deps.now())))
    if (contactId === undefined) return
    const ctx = systemContext(account.tenantId, 'wechat', deps.now())
    try {
      await binder.bind(ctx, account.id, follower.id, contactId)
    } catch (error) {
      if (!isAppError(error)) throw error
      deps.logger.warn({ err: error }, 'a follower was not bound')
      return
    }
    await database.withTenant(ctx, async scope => {
      const row = await repo.find(scope, account.id, follower.id)
      await recordAudit(scope, ctx, {
        action: 'wechat_follower.rebind',
        objectType: 'wechat_follower',
        objectId: follower.id,
        objectName: row?.nickname || follower.openid,
        before: { contact: follower.contactName },
        after: { contact: row?.contactName ?? null, by: 'QR code' },
      })
    })
  }

  async function learnName(account: AccountRow, openid: string): Promise<void> {
    try {
      const info = await deps.client.ask(account, `/cgi-bin/user/info?openid=${encodeURIComponent(openid)}&lang=zh_CN`)
      const name = typeof info.nickname === 'string' ? info.nickname.slice(0, 64) : ''
      if (name !== '') await read(scope => repo.setNickname(scope, account.id, openid, name))
    } catch (error) {
      // The name is a comfort: he follows without it.
      if (!(error instanceof WechatError)) throw error
    }
  }

  async function answerTo(account: AccountRow, kind: repo.ReplyRow['kind'], text: string): Promise<string | null> {
    const rules = (await read(scope => repo.replies(scope, account.id))).filter(rule => rule.enabled)
    if (kind === 'follow') return rules.find(rule => rule.kind === 'follow')?.answer ?? null
    const said = text.normalize('NFKC').trim().toLowerCase()
    const matches = ({ keyword, whole }: repo.ReplyRow) => {
      const word = keyword.normalize('NFKC').toLowerCase()
      return whole ? said === word : said.includes(word)
    }
    const found =
      rules.find(rule => rule.kind === 'keyword' && matches(rule)) ?? rules.find(rule => rule.kind === 'other')
    return found?.answer ?? null
  }

  return async (account, message) => {
    const openid = textIn(message, 'FromUserName').slice(0, 64)
    if (openid === '') return null
    const type = textIn(message, 'MsgType')
    const event = textIn(message, 'Event').toUpperCase()
    const key = textIn(message, 'EventKey')
    if (type !== 'event') {
      await seen(account, openid, true)
      return type === 'text' ? answerTo(account, 'keyword', textIn(message, 'Content')) : answerTo(account, 'other', '')
    }
    switch (event) {
      case 'SUBSCRIBE':
      case 'SCAN': {
        const follower = await seen(account, openid, true)
        if (event === 'SUBSCRIBE') await learnName(account, openid)
        const scene = key.replace(/^qrscene_/, '')
        const ctx = systemContext(account.tenantId, 'wechat', deps.now())
        if (follower?.contactId) await binder.setReach(ctx, follower.contactId, openid)
        if (follower && scene !== '') await bindScene(account, follower, scene)
        return event === 'SUBSCRIBE' ? answerTo(account, 'follow', '') : null
      }
      case 'UNSUBSCRIBE': {
        const follower = await seen(account, openid, false)
        if (follower?.contactId)
          await binder.setReach(systemContext(account.tenantId, 'wechat', deps.now()), follower.contactId, null)
        return null
      }
      case 'CLICK':
        await seen(account, openid, true)
        return answerTo(account, 'keyword', key)
      case 'TEMPLATESENDJOBFINISH': {
        // The one event that writes its number as MsgID.
        const status = textIn(message, 'Status')
        if (account.channelId)
          await noteReceiptOf(database, account.channelId, textIn(message, 'MsgID'), {
            state: status === 'success' ? 'delivered' : 'failed',
            reason: status === 'success' ? null : status.slice(0, 200),
            at: new Date(deps.now()),
          })
        return null
      }
      default:
        return null
    }
  }
}
