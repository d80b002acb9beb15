import type { Logger } from '../../../lib/log.ts'
import { headerLine, MailError, type MailPort } from '../../../modules/notifications/mail.port.ts'

const KEPT = 20

/** The mail server of an installation without one: writes to the log, and keeps the last mails for the demo's panel. */
export function createLogMail(logger: Logger, now: () => number): MailPort {
  const sent: { to: string; subject: string; text: string; at: string }[] = []
  return {
    async send(message) {
      if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(message.to)) throw new MailError(true, 'not a mail address')
      const subject = headerLine(message.subject)
      sent.unshift({ to: message.to, subject, text: message.text, at: new Date(now()).toISOString() })
      sent.length = Math.min(sent.length, KEPT)
      logger.info({ to: message.to, subject, text: message.text }, 'simulated mail')
    },
    outbox: () => [...sent],
  }
}
