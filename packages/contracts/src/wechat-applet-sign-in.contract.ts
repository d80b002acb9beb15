import { Type } from 'typebox'
import { Nullable, Ok } from './common.ts'
import { TokenReply } from './identity.contract.ts'
import { route } from './route.ts'

const tag = 'Portals'
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
    summary: 'Whether the caller signs in to the mini-program with WeChat',
    response: Type.Object({ bound: Type.Boolean() }),
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
