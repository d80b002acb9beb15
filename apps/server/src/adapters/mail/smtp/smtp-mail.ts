import { createTransport } from 'nodemailer'
import { portOf } from '../../../lib/outbound/port-of.ts'
import { headerLine, MailError, type MailPort } from '../../../modules/notifications/mail.port.ts'

export interface SmtpSettings {
  /** smtp://user:password@host:port (STARTTLS when offered, required with a password unless `tls=0`) or smtps://… */
  url: string
  /** The sender, `Name <address>` or an address. */
  from: string
  /** Milliseconds until an unanswering server is given up. */
  timeoutMs?: number
}

/** Mails over SMTP (RFC 5321) with one connection that is kept for the next mail. */
export function createSmtpMail({ url, from, timeoutMs = 10_000 }: SmtpSettings): MailPort & { close(): void } {
  const parsed = new URL(url)
  const secure = parsed.protocol === 'smtps:'
  const user = decodeURIComponent(parsed.username)
  // A password goes over the wire in the clear only where somebody wrote that it may.
  const plain = parsed.searchParams.get('tls') === '0'
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(parsed, secure ? 465 : 587),
    secure,
    requireTLS: !secure && user !== '' && !plain,
    ignoreTLS: plain,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(parsed.password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(message) {
      if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(message.to)) throw new MailError(true, 'not a mail address')
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: message.to },
          subject: headerLine(message.subject),
          text: message.text,
          ...(message.html === undefined ? {} : { html: message.html }),
          ...(message.messageId === undefined ? {} : { messageId: `<${headerLine(message.messageId)}>` }),
          ...(message.attachments === undefined
            ? {}
            : {
                attachments: message.attachments.map(({ fileName, contentType, content }) => ({
                  filename: headerLine(fileName),
                  contentType,
                  content,
                })),
              }),
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const {
          responseCode: status,
          code,
          command,
        } = error as { responseCode?: number; code?: string; command?: string }
        // The server's own words may repeat what was sent, and causes end in logs: its number and ours say enough.
        throw new MailError(status !== undefined && status >= 500, 'the mail server did not take the mail', {
          cause: new Error([code, command, status].filter(part => part !== undefined).join(' ')),
        })
      }
    },
    outbox: () => null,
    close: () => transport.close(),
  }
}
