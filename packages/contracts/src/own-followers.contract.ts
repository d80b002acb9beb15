import { type Static, Type } from 'typebox'
import { Id, IdParams, IsoTime, Nullable } from './common.ts'
import { route } from './route.ts'

const tag = 'Portals'
const base = '/api/v1/me/wechat-followers'

export const OwnFollower = Type.Object({
  id: Id,
  nickname: Type.String({ description: 'WeChat gives none any more to most accounts' }),
  openid: Type.String(),
  subscribed: Type.Boolean({ description: 'Follows the official account' }),
  contact: Nullable(Type.Object({ id: Id, name: Type.String() })),
  boundAt: Nullable(IsoTime),
})
export type OwnFollower = Static<typeof OwnFollower>

/** WeChat users who receive messages of the caller's contacts through the official account. */
export const ownFollowersContract = {
  list: route({
    tag,
    method: 'GET',
    path: base,
    summary: 'Followers of the official account who are bound to contacts that the caller may see, at most 100',
    permission: 'contact:read',
    response: Type.Object({ items: Type.Array(OwnFollower) }),
  }),
  bind: route({
    tag,
    method: 'PUT',
    path: `${base}/{id}/contact`,
    summary: 'Moves such a follower to another contact of the caller',
    permission: 'contact:write',
    audit: 'wechat_follower.rebind',
    params: IdParams,
    body: Type.Object({ contactId: Id }, { additionalProperties: false }),
    response: OwnFollower,
  }),
  unbind: route({
    tag,
    method: 'DELETE',
    path: `${base}/{id}/contact`,
    summary: 'Unbinds such a follower: the contact receives no messages by WeChat',
    permission: 'contact:write',
    audit: 'wechat_follower.unbind',
    params: IdParams,
    response: OwnFollower,
  }),
}
