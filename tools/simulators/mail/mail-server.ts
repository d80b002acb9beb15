import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as it came in: the envelope, and the bytes between DATA and the final dot. */
export interface TakenMail {
  from: string
  to: string[]
  raw: string
  authenticatedAs: string | null
}

export interface MailServer {
  host: string
  port: number
  mails: TakenMail[]
  /** From now on every recipient is refused with this status (null: taken again). */
  refuseWith(status: number | null): void
  /** From now on mails are taken in, and their senders wait for the answer until this ends. */
  hold(isHeld: boolean): void
  stop(): Promise<void>
}

/** An SMTP server (RFC 5321) that checks the sign-in and keeps what it gets. @param accounts user names and passwords; none: anybody may send */
export async function startMailServer(
  options: { accounts?: Record<string, string>; port?: number; host?: string } = {},
): Promise<MailServer> {
  const host = options.host ?? '127.0.0.1'
  const { accounts } = options
  const mails: TakenMail[] = []
  let refusal: number | null = null
  let isHeld = false
  const waiting: (() => void)[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', ...(accounts ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    authOptional: accounts === undefined,
    logger: false,
    onAuth(auth, _session, done) {
      const { username = '', password = '' } = auth
      if (accounts && Object.hasOwn(accounts, username) && accounts[username] === password)
        return done(null, { user: username })
      done(Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 }))
    },
    onRcptTo(_address, _session, done) {
      if (refusal === null) return done()
      done(Object.assign(new Error('Mailbox unavailable'), { responseCode: refusal }))
    },
    onData(stream, session, done) {
      text(stream)
        .then(raw => {
          mails.push({
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            to: session.envelope.rcptTo.map(recipient => recipient.address),
            raw,
            authenticatedAs: session.user === undefined ? null : String(session.user),
          })
          if (isHeld) waiting.push(done)
          else done()
        })
        .catch(done)
    },
  })
  // A client that goes away in the middle is its own affair.
  server.on('error', () => {})
  await new Promise<void>(resolve => server.listen(options.port ?? 0, host, resolve))
  return {
    host,
    port: (server.server.address() as AddressInfo).port,
    mails,
    refuseWith: status => {
      refusal = status
    },
    hold(next) {
      isHeld = next
      if (!isHeld) for (const answer of waiting.splice(0)) answer()
    },
    stop: () => new Promise(resolve => server.close(() => resolve())),
  }
}
