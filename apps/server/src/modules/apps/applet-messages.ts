import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import { type AppletMessages, ChannelError } from '../contacts/index.ts'
import { ofTenant } from './applets.repo.ts'
import type { PlatformClient } from './platform-client.ts'
import { WechatError } from './wechat.port.ts'

/** Page that a message opens. */
const PAGE = 'pages/alarms/alarms'
/** No permission of the person is left, or he took it back. */
const REFUSED = 43101
/** Busy, or too often: later perhaps. */
const AGAIN = new Set([-1, 45009, 45011])

/** Subscribe messages of companies' mini-programs (api.weixin.qq.com/cgi-bin/message/subscribe/send). */
export function createAppletMessages(deps: {
  database: Database
  client: Pick<PlatformClient, 'ask' | 'isSimulated'>
}): AppletMessages {
  return {
    async send(tenantId, { appId, openid, templateId, fields, locale }) {
      const applet = await deps.database.withSystemScope('apps', scope => ofTenant(scope, tenantId))
      if (applet?.state !== 'authorized' || applet.appId !== appId) throw new ChannelError('never', 'no_account')
      try {
        await deps.client.ask(applet, '/cgi-bin/message/subscribe/send', {
          touser: openid,
          template_id: templateId,
          page: PAGE,
          data: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, { value }])),
          miniprogram_state: 'formal',
          lang: locale === 'zh' ? 'zh_CN' : 'en_US',
        })
      } catch (cause) {
        throw failure(cause)
      }
      return { simulated: deps.client.isSimulated(applet) }
    },
  }
}

function failure(cause: unknown): unknown {
  // The platform has no ticket of WeChat's: one comes every ten minutes.
  if (isAppError(cause)) return new ChannelError('again', cause.code, { cause })
  if (!(cause instanceof WechatError)) return cause
  if (cause.code === REFUSED) return new ChannelError('never', 'refused_by_person', { cause })
  const isLater = cause.code === null || AGAIN.has(cause.code) || cause.isTokenGone
  return new ChannelError(isLater ? 'again' : 'never', cause.message, { cause })
}
