import { type Static, Type } from 'typebox'
import { WECHAT_BUTTON_KINDS, WECHAT_ENTRY_KINDS, WECHAT_REPLY_KINDS } from './apps.words.ts'
import { Id, IdParams, IsoTime, listOf, listQuery, Nullable, Words } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const
const tag = 'WeChat official account'
const base = '/api/v1/wechat-accounts/{id}'
const read = { tag, permission: 'app:read', wholeCompany: true } as const
const write = { tag, permission: 'app:write', wholeCompany: true } as const

export const FollowerView = Type.Object({
  id: Id,
  openid: Type.String(),
  nickname: Type.String({ description: 'WeChat gives none any more to most accounts' }),
  subscribed: Type.Boolean(),
  subscribedAt: Nullable(IsoTime),
  contact: Nullable(Type.Object({ id: Id, name: Type.String() })),
  boundAt: Nullable(IsoTime),
  lastAt: IsoTime,
})
export type FollowerView = Static<typeof FollowerView>

export const SceneView = Type.Object({
  url: Type.String({ description: 'What the QR code holds' }),
  ticket: Type.String(),
  expiresAt: IsoTime,
})
export type SceneView = Static<typeof SceneView>

const filters = {
  bound: Type.Optional(Words(['0', '1'])),
  subscribed: Type.Optional(Words(['0', '1'])),
}

const MenuEntry = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    type: Words(WECHAT_ENTRY_KINDS),
    value: Type.String({
      maxLength: 1024,
      description: 'An address, or what a click says: it is answered as if it was typed',
    }),
  },
  closed,
)
const MenuButton = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 16 }),
    type: Words(WECHAT_BUTTON_KINDS),
    value: Type.String({ maxLength: 1024 }),
    entries: Type.Array(MenuEntry, { maxItems: 5 }),
  },
  closed,
)
export const WechatMenu = Type.Object({ buttons: Type.Array(MenuButton, { maxItems: 3 }) })
export type WechatMenu = Static<typeof WechatMenu>
export const WechatMenuView = Type.Object({
  ...WechatMenu.properties,
  published: Type.Boolean({
    description: 'False: it came with the file of a company, and WeChat does not have it before it is published',
  }),
})
export type WechatMenuView = Static<typeof WechatMenuView>

const ReplyRule = Type.Object(
  {
    kind: Words(WECHAT_REPLY_KINDS),
    keyword: Type.String({ maxLength: 30 }),
    whole: Type.Boolean({ description: 'The message is the keyword and nothing else' }),
    answer: Type.String({ minLength: 1, maxLength: 600, pattern: '\\S' }),
    enabled: Type.Boolean(),
  },
  closed,
)
export const WechatReplies = Type.Object({ items: Type.Array(ReplyRule, { maxItems: 50 }) })
export type WechatReplies = Static<typeof WechatReplies>

/** Fields of a message template at WeChat, in the order of its text. */
export const TemplateFields = Type.Array(
  Type.Object({
    key: Type.String({ description: 'Kind and number, such as thing1' }),
    name: Type.String({ description: 'What stands before the value' }),
  }),
)
export type TemplateFields = Static<typeof TemplateFields>

const FollowerParams = Type.Object({ id: Id, followerId: Id })

export const wechatFollowersContract = {
  list: route({
    ...read,
    method: 'GET',
    path: `${base}/followers`,
    summary: 'Who follows the account and which contact he is, the newest first; q: openid, nickname or contact',
    params: IdParams,
    query: Type.Object({ ...listQuery, ...filters }),
    response: listOf(FollowerView),
  }),
  export: route({
    ...read,
    method: 'GET',
    path: `${base}/followers/export`,
    summary: 'The same as a file, at most 100,000',
    params: IdParams,
    query: Type.Object({ q: listQuery.q, ...filters, format: Words(['csv', 'xlsx']) }),
    response: Type.String(),
    produces: 'application/octet-stream',
  }),
  scene: route({
    ...write,
    method: 'POST',
    path: `${base}/scenes`,
    summary: 'A QR code of ten minutes: whoever scans it follows the account and is bound to the contact',
    audit: 'wechat_account.scene',
    params: IdParams,
    body: Type.Object({ contactId: Id }, closed),
    response: SceneView,
  }),
  bind: route({
    ...write,
    method: 'PUT',
    path: `${base}/followers/{followerId}/contact`,
    summary: 'Binds a follower to a contact, or to another one; whoever was bound to it before is not any more',
    audit: 'wechat_follower.rebind',
    params: FollowerParams,
    body: Type.Object({ contactId: Id }, closed),
    response: FollowerView,
  }),
  unbind: route({
    ...write,
    method: 'DELETE',
    path: `${base}/followers/{followerId}/contact`,
    summary: 'Unbinds a follower: the contact receives no messages by WeChat',
    audit: 'wechat_follower.unbind',
    params: FollowerParams,
    response: FollowerView,
  }),
  menu: route({
    ...read,
    method: 'GET',
    path: `${base}/menu`,
    summary: 'The menu as it was published here last, or as it waits to be published',
    params: IdParams,
    response: WechatMenuView,
  }),
  setMenu: route({
    ...write,
    method: 'PUT',
    path: `${base}/menu`,
    summary: 'Publishes a menu at WeChat; without buttons its menu goes',
    audit: 'wechat_account.menu',
    params: IdParams,
    body: WechatMenu,
    response: WechatMenuView,
  }),
  replies: route({
    ...read,
    method: 'GET',
    path: `${base}/replies`,
    summary: 'What the account answers by itself, in the order in which it is looked at',
    params: IdParams,
    response: WechatReplies,
  }),
  setReplies: route({
    ...write,
    method: 'PUT',
    path: `${base}/replies`,
    summary: 'Sets all automatic replies',
    audit: 'wechat_account.replies',
    params: IdParams,
    body: WechatReplies,
    response: WechatReplies,
  }),
  templates: route({
    ...read,
    method: 'GET',
    path: `${base}/templates`,
    summary: 'Message templates of the account, asked of WeChat now',
    params: IdParams,
    response: Type.Object({
      items: Type.Array(
        Type.Object({ id: Type.String(), title: Type.String(), content: Type.String(), fields: TemplateFields }),
      ),
    }),
  }),
}
