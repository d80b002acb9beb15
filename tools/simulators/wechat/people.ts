import type { Body } from './shared.ts'
import type { Wechat } from './wechat.ts'

/** HTTP interface of the simulator for acts of people at WeChat: scanning, writing, unfollowing, deciding audits. */
export const PEOPLE = '/simulator/'

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** @throws Error with the reason why the act is not possible */
export async function askPeople(wechat: Wechat, act: string, body: Body): Promise<Body> {
  const appId = text(body.appid)
  const openid = text(body.openid)
  switch (act) {
    case 'server':
      return {
        accepted: await wechat.submitServer(appId, {
          url: text(body.url),
          token: text(body.token),
          aesKey: text(body.aesKey),
          mode: body.mode === 'plain' || body.mode === 'both' ? body.mode : 'encrypted',
        }),
      }
    case 'scan':
      return { answer: (await wechat.scan(appId, text(body.ticket), openid, text(body.nickname))).text }
    case 'write': {
      const { followers } = wechat.account(appId)
      if (!followers.get(openid)?.subscribed)
        followers.set(openid, { openid, nickname: text(body.nickname), subscribed: true })
      return { answer: (await wechat.push(appId, openid, { MsgType: 'text', Content: text(body.text) })).text }
    }
    case 'unfollow':
      await wechat.unfollow(appId, openid)
      return {}
    case 'subscribe':
      wechat.subscribe.decide(appId, openid, [text(body.template)], body.answer === 'reject' ? 'reject' : 'accept')
      return {}
    case 'login':
      return { code: wechat.loginCode(appId, openid) }
    case 'authorize':
      return { location: wechat.platform.scanAuthorization(text(body.address), appId) }
    case 'audit': {
      const { outcome } = body
      if (outcome !== 'pass' && outcome !== 'refuse' && outcome !== 'delay') throw new Error('no such outcome')
      await wechat.platform.decide(appId, outcome, text(body.reason))
      return {}
    }
    default:
      throw new Error(`nobody does ${act}`)
  }
}
