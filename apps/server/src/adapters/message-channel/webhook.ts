import { type ChannelAdapter, ChannelError } from '../../modules/contacts/channel.port.ts'
import { signatureOf } from '../subscription-target/webhook/webhook-target.ts'
import type { VendorDeps } from './aliyun.ts'

/** Statuses that no second try of the same body will change. */
const NEVER = new Set([400, 404, 405, 410, 413, 415, 422])

/** Signed JSON to an address, as data subscriptions send it. */
export function createWebhookChannel({ http, now, nonce }: VendorDeps): ChannelAdapter {
  return {
    async send(account, message) {
      const body = JSON.stringify({ subject: message.subject, text: message.text, ...message.data })
      const { secret } = account.secrets
      const { status } = await http.post(
        account.simulator,
        account.config.url || 'https://simulated.invalid/webhook',
        {
          'content-type': 'application/json',
          'user-agent': 'Thingwright',
          ...(secret ? { 'thingwright-signature': signatureOf(body, [secret], now(), nonce()) } : {}),
        },
        body,
      )
      if (status >= 200 && status < 300) return { ref: null, cost: 0 }
      const kind = status === 401 || status === 403 ? 'account' : NEVER.has(status) ? 'never' : 'again'
      throw new ChannelError(kind, `HTTP ${status}`)
    },
  }
}
