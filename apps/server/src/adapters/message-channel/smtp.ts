import { createAddressGuard } from '../../lib/outbound/outbound-guard.ts'
import { type ChannelAdapter, ChannelError } from '../../modules/contacts/channel.port.ts'
import { MailError } from '../../modules/notifications/mail.port.ts'
import { createSmtpMail } from '../mail/smtp/smtp-mail.ts'

const PORTS = new Set([25, 465, 587, 2525])

/** A company's own mailbox. Password: what providers in China call the authorisation code. */
export function createSmtpChannel({ allow }: { allow: readonly string[] }): ChannelAdapter {
  const guard = createAddressGuard(allow)
  return {
    async send({ config, secrets, simulator }, message) {
      const port = Number(config.port || '465')
      if (!PORTS.has(port)) throw new ChannelError('account', `port ${port} is not asked`)
      const host = config.host ?? ''
      // Only where it may: the name is looked up and its address checked as for every request to what people typed.
      try {
        if (simulator === null) await guard.resolve(host, 443, true)
      } catch (error) {
        throw new ChannelError('account', (error as Error).message, { cause: error })
      }
      const user = config.user || config.from || ''
      const sign = secrets.password ? `${encodeURIComponent(user)}:${encodeURIComponent(secrets.password)}@` : ''
      const scheme = port === 465 ? 'smtps' : 'smtp'
      // A simulator listens on this machine alone and speaks no TLS.
      const url =
        simulator === null ? `${scheme}://${sign}${host}:${port}` : `smtp://${sign}${new URL(simulator).host}/?tls=0`
      const mail = createSmtpMail({ url, from: config.from ?? '' })
      try {
        await mail.send({
          to: message.to,
          subject: message.subject,
          text: message.text,
          ...(message.attachments ? { attachments: message.attachments, messageId: `${message.id}@thingwright` } : {}),
        })
        return { ref: null, cost: 0 }
      } catch (error) {
        const isFinal = error instanceof MailError && error.permanent
        const cause = ((error as Error).cause as Error | undefined)?.message ?? ''
        throw new ChannelError(
          /535|EAUTH/.test(cause) ? 'account' : isFinal ? 'never' : 'again',
          `${(error as Error).message} ${cause}`.trim(),
          { cause: error },
        )
      } finally {
        mail.close()
      }
    },
  }
}
