import { Readable } from 'node:stream'
import type { QueryOf } from '@thingwright/contracts'
import type { wechatPlatformCallbacksContract } from '@thingwright/contracts/wechat-applets.contract'
import { AppError } from '../../lib/errors.ts'
import { RedirectReply, StreamReply } from '../../lib/http.ts'
import type { AppletVersions } from './applet-versions.service.ts'
import type { AppletsService } from './applets.service.ts'
import type { PlatformClient } from './platform-client.ts'
import { decryptMessage, isSigned } from './wechat-crypto.ts'
import { readXml, textIn, type XmlValue } from './wechat-xml.ts'

type Query = QueryOf<(typeof wechatPlatformCallbacksContract)['events']>

/** What WeChat tells the third-party platform. Everything is encrypted and signed; what is not is refused. */
export interface PlatformCallbacks {
  /** @throws AppError wechat.signature_wrong */
  events(query: Query, body: string): Promise<StreamReply>
  /** @throws AppError wechat.signature_wrong */
  messages(appId: string, query: Query, body: string): Promise<StreamReply>
  back(nonce: string, code: string | undefined): Promise<RedirectReply>
}

/** Older requests are replays. */
const FRESH_MS = 600_000
const PAGE = '/apply/WechatApplet/WechatAppletAuthorize'

export function createPlatformCallbacks(deps: {
  client: PlatformClient
  applets: AppletsService
  versions: AppletVersions
  /** A ticket was kept: the platform can be asked from now on. */
  onTicket(): void
  now(): number
}): PlatformCallbacks {
  const { client, applets, versions } = deps
  const taken = () => new StreamReply(Readable.from([Buffer.from('success')]), 'text/plain; charset=utf-8')

  function open(query: Query, body: string): Record<string, XmlValue> {
    const refused = () => new AppError('wechat.signature_wrong')
    const settings = client.platforms.current()
    const outer = readXml(body)
    if (!settings || !outer) throw refused()
    const encrypted = textIn(outer, 'Encrypt')
    const { timestamp = '', nonce = '' } = query
    if (!isSigned(query.msg_signature, settings.token, timestamp, nonce, encrypted)) throw refused()
    if (!(Math.abs(deps.now() - Number(timestamp) * 1_000) < FRESH_MS)) throw refused()
    const text = decryptMessage(encrypted, settings.aesKey, settings.appId)
    const message = text === null ? null : readXml(text)
    if (!message) throw refused()
    return message
  }

  return {
    async events(query, body) {
      const message = open(query, body)
      switch (textIn(message, 'InfoType')) {
        case 'component_verify_ticket':
          await client.keepTicket(textIn(message, 'ComponentVerifyTicket'))
          deps.onTicket()
          break
        case 'unauthorized':
          await applets.ended(textIn(message, 'AuthorizerAppid'))
          break
        default:
          // `authorized` comes with the owner who is sent back, and other kinds are no business of ours.
          break
      }
      return taken()
    },

    async messages(appId, query, body) {
      const message = open(query, body)
      switch (textIn(message, 'Event')) {
        case 'weapp_audit_success':
          await versions.heard(appId, 'passed', '')
          break
        case 'weapp_audit_fail':
          await versions.heard(appId, 'refused', textIn(message, 'Reason'))
          break
        case 'weapp_audit_delay':
          await versions.heard(appId, 'delayed', textIn(message, 'Reason'))
          break
        default:
          break
      }
      return taken()
    },

    async back(nonce, code) {
      if (!code) return new RedirectReply(`${PAGE}?authorized=cancelled`)
      try {
        await applets.complete(nonce, code)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const said = typeof error.params.said === 'string' ? `&said=${encodeURIComponent(error.params.said)}` : ''
        return new RedirectReply(`${PAGE}?authorized=${encodeURIComponent(error.code)}${said}`)
      }
      return new RedirectReply(`${PAGE}?authorized=1`)
    },
  }
}
