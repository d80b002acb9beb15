import { Type } from 'typebox'
import { Nullable, Ok } from './common.ts'
import { TokenReply } from './identity.contract.ts'
import { route } from './route.ts'

const tag = 'Portals'
const AppletState = Type.Object({
  bound: Type.Boolean(),
  templates: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Of a subscribe message at WeChat, for wx.requestSubscribeMessage' }),
      remaining: Type.Integer({ description: 'Messages that may still be sent' }),
    }),
    { description: 'Messages about alarms for which the caller may be asked, at most three' },
  ),
})
const own = { tag, permission: 'signed-in', path: '/api/v1/me/wechat-applet' } as const

/** End users sign in to the company's mini-program by what WeChat says of them (wx.login). */
export const wechatAppletSignInContract = {
  enter: route({
    tag,
    permission: 'public',
    method: 'POST',
    path: '/api/v1/public/portals/{suffix}/wechat-applet',
    summary: 'A session for the WeChat user of a code, or a ticket with which whoever signs in otherwise is bound',
    audit: { none: 'written by the service' },
    params: Type.Object({ suffix: Type.String({ maxLength: 64 }) }),
    body: Type.Object(
      {
        code: Type.String({ minLength: 1, maxLength: 512, description: 'What wx.login answered' }),
        prove: Type.Optional(Type.Boolean({ description: 'A ticket only, no session' })),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({
      session: Nullable(TokenReply),
      ticket: Nullable(Type.String({ description: 'Proves the WeChat user for 15 minutes' })),
    }),
  }),
  own: route({
    ...own,
    method: 'GET',
    summary: 'Whether the caller signs in to the mini-program with WeChat, and which messages may be sent there',
    response: AppletState,
  }),
  accept: route({
    tag,
    permission: 'contact:write',
    path: '/api/v1/me/wechat-applet/messages',
    method: 'POST',
    summary: 'The caller allowed one more message of each template; he becomes a contact who is reached like that',
    audit: 'end_user.accept_messages',
    body: Type.Object(
      {
        accepted: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 5, uniqueItems: true }),
      },
      { additionalProperties: false },
    ),
    response: AppletState,
  }),
  bind: route({
    ...own,
    method: 'POST',
    summary: 'Binds the WeChat user of a ticket to the end user who signed in',
    audit: 'end_user.bind_wechat',
    body: Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 2_048 }) }, { additionalProperties: false }),
    response: Ok,
  }),
  unbind: route({
    ...own,
    method: 'DELETE',
    summary: 'The caller does not sign in to the mini-program with WeChat any more',
    audit: 'end_user.unbind_wechat',
    response: Ok,
  }),
}
