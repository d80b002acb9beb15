/** A mail to one person. Whoever sends it chooses the words; the adapter the envelope. */
export interface MailMessage {
  /** One mail address, checked before. */
  to: string
  subject: string
  text: string
  /** Beside the text, never instead of it. */
  html?: string
  attachments?: readonly MailAttachment[]
  /** Of the message (RFC 5322 §3.6.4), without brackets: the same mail handed over twice is shown once by many programs. */
  messageId?: string
}

export interface MailAttachment {
  fileName: string
  contentType: string
  content: Buffer
}

/** The way mails leave the house. */
export interface MailPort {
  /** Hands the mail over. @throws MailError when the server refused it or could not be reached */
  send(message: MailMessage): Promise<void>
  /** What a simulated server “sent”, newest first; null when it is a real one. */
  outbox(): { to: string; subject: string; text: string; at: string }[] | null
}

/** A mail that was not taken. */
export class MailError extends Error {
  override name = 'MailError'
  constructor(
    /** The server said no (wrong address, wrong password): the same mail will not go later. Else: not reached, try again. */
    readonly permanent: boolean,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
  }
}

/** One line, as a header must be: whatever breaks lines becomes a space (RFC 5322 §2.2). */
export function headerLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()
}
