import { Type } from 'typebox'
import { APPLET_OUTCOMES } from './apps.words.ts'
import { Id, IdParams, Ok, Words } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const
const write = { permission: 'app:write', wholeCompany: true } as const

/** What people do at WeChat, played by hand where the WeChat is the product's own simulator (the demo). */
export const wechatSimulatorContract = {
  scan: route({
    ...write,
    method: 'POST',
    path: '/api/v1/wechat-accounts/{id}/simulator/scan',
    tag: 'WeChat official account',
    summary: 'Somebody scans a QR code of a simulated official account and follows it; 409 for a real one',
    audit: 'wechat_account.play',
    params: IdParams,
    body: Type.Object({ ticket: Type.String({ minLength: 1, maxLength: 128 }) }, closed),
    response: Ok,
  }),
  unfollow: route({
    ...write,
    method: 'POST',
    path: '/api/v1/wechat-accounts/{id}/simulator/unfollow',
    tag: 'WeChat official account',
    summary: 'A follower of a simulated official account leaves it; 409 for a real one',
    audit: 'wechat_account.play',
    params: IdParams,
    body: Type.Object({ followerId: Id }, closed),
    response: Ok,
  }),
  authorize: route({
    ...write,
    method: 'POST',
    path: '/api/v1/wechat-applets/simulator/authorize',
    tag: 'WeChat mini-program',
    summary:
      'The owner of a simulated mini-program scans the address of an authorisation and agrees; 409 for a real one',
    audit: 'wechat_applet.play',
    body: Type.Object({ address: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
    response: Ok,
  }),
  decide: route({
    ...write,
    method: 'POST',
    path: '/api/v1/wechat-applets/{id}/simulator/audit',
    tag: 'WeChat mini-program',
    summary: 'The audit of a simulated mini-program ends; 409 for a real one',
    audit: 'wechat_applet.play',
    params: IdParams,
    body: Type.Object(
      { outcome: Words(APPLET_OUTCOMES), reason: Type.Optional(Type.String({ maxLength: 200 })) },
      closed,
    ),
    response: Ok,
  }),
}
