import type { Logger } from '../../../lib/log.ts'
import { createOutbox } from '../../../lib/message-outbox.ts'
import { headerLine, MailError, type MailPort } from '../../../modules/notifications/mail.port.ts'

/**
 * The mail server of an installation without one: keeps the last mails, for the demo's panel and in a file of their own.
 * The log says that there was one, and nothing of what it says: codes and links are in it, codes in its subject too.
 * @param file null: none
 */
export function createLogMail(logger: Logger, now: () => number, file: string | null = null): MailPort {
  const sent = createOutbox<{ to: string; subject: string; text: string; at: string }>(file)
  return {
    async send(message) {
      if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(message.to)) throw new MailError(true, 'not a mail address')
      const subject = headerLine(message.subject)
      // Of what was attached the names alone: the panel shows texts.
      const files = message.attachments?.map(({ fileName, content }) => `\n📎 ${fileName} (${content.length} B)`) ?? []
      const text = message.text + files.join('')
      await sent.add({ to: message.to, subject, text, at: new Date(now()).toISOString() })
      logger.info({ to: message.to, ...(file === null ? {} : { file }) }, 'simulated mail')
    },
    outbox: () => [...sent.kept],
  }
}
