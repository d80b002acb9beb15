import { Type } from 'typebox'
import { Ok } from './common.ts'
import { route } from './route.ts'

const tag = 'Portals'
const base = '/api/v1/public/portals/{suffix}/wechat'
const params = Type.Object({ suffix: Type.String({ maxLength: 64 }) })
const own = { tag, permission: 'signed-in', path: '/api/v1/me/wechat' } as const

/** End users sign in to their portal by the company's official account (WeChat's web sign-in, snsapi_base). */
export const wechatSignInContract = {
  offer: route({
    tag,
    permission: 'public',
    method: 'GET',
    path: base,
    summary: 'Whether the portal offers to sign in with WeChat',
    params,
    response: Type.Object({ available: Type.Boolean() }),
  }),
  start: route({
    tag,
    permission: 'public',
    method: 'POST',
    path: `${base}/start`,
    summary: 'Begins a sign-in with WeChat; the browser goes to the address',
    audit: { none: 'nobody is signed in' },
    params,
    response: Type.Object({ url: Type.String() }),
  }),
  back: route({
    tag,
    permission: 'public',
    method: 'GET',
    path: '/callbacks/wechat-sign-in',
    summary: 'Where WeChat sends the browser back to; answers with a redirect to the portal',
    produces: 'text/html',
    query: Type.Object({
      code: Type.Optional(Type.String({ maxLength: 512 })),
      state: Type.Optional(Type.String({ maxLength: 128 })),
    }),
    response: Type.Unsafe<never>({}),
  }),
  own: route({
    ...own,
    method: 'GET',
    summary: 'Whether the caller signs in with WeChat',
    response: Type.Object({ bound: Type.Boolean() }),
  }),
  bind: route({
    ...own,
    method: 'POST',
    summary: 'Binds the WeChat account that this browser came back with to the end user who signed in',
    audit: 'end_user.bind_wechat',
    response: Ok,
  }),
  unbind: route({
    ...own,
    method: 'DELETE',
    summary: 'The caller does not sign in with WeChat any more',
    audit: 'end_user.unbind_wechat',
    response: Ok,
  }),
}
