import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MailServer, startMailServer, type TakenMail } from '../../../../../tools/simulators/mail/mail-server.ts'
import { silentLogger } from '../../lib/log.ts'
import { MailError, type MailPort } from '../../modules/notifications/mail.port.ts'
import { createLogMail } from './log/log-mail.ts'
import { createSmtpMail } from './smtp/smtp-mail.ts'

interface ArrivedMail {
  to: string
  subject: string
  text: string
}

/** What every adapter of the mail port promises. `arrived` are the mails the other side has taken, oldest first. */
function mailPortContract(given: { mail(): MailPort; arrived(): Promise<ArrivedMail[]> }): void {
  const send = (over: Partial<Parameters<MailPort['send']>[0]> = {}) =>
    given.mail().send({ to: 'li.na@acme.example', subject: 'Subject', text: 'Text', ...over })
  const last = async () => (await given.arrived()).at(-1)!

  it('delivers address, subject and text', async () => {
    const before = (await given.arrived()).length
    await send({ subject: 'Your invitation', text: 'First line\n\nSecond line' })
    expect((await given.arrived()).length).toBe(before + 1)
    const mail = await last()
    expect(mail).toMatchObject({ to: 'li.na@acme.example', subject: 'Your invitation' })
    expect(mail.text.replaceAll('\r\n', '\n').trim()).toBe('First line\n\nSecond line')
  })

  it('keeps Chinese, emoji, quotes and long lines as they are', async () => {
    const subject = '【物匠云】张伟 “邀请” 您加入 Acme 🌡 — ok?'
    const text = `${'长'.repeat(500)}\n.\nFrom the start: "quoted" =3D ${'x'.repeat(1200)}`
    await send({ subject, text })
    const mail = await last()
    expect(mail.subject).toBe(subject)
    expect(mail.text.replaceAll('\r\n', '\n').trim()).toBe(text)
  })

  it('lets no line end in the subject become a header', async () => {
    await send({ subject: 'Hello\r\nBcc: victim@other.example\n\u2028X: y' })
    const mail = await last()
    expect(mail.to).toBe('li.na@acme.example')
    expect(mail.subject).toBe('Hello Bcc: victim@other.example X: y')
  })

  it.each([
    'no-at-sign',
    'two people <a@b.example>, c@d.example',
    'a@b.example\r\nRCPT TO:<c@d.example>',
    'a@b.example, c@d.example',
    '',
  ])('refuses %j as an address, for good', async to => {
    const before = (await given.arrived()).length
    const error = await send({ to }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(MailError)
    expect((error as MailError).permanent).toBe(true)
    expect((await given.arrived()).length).toBe(before)
  })
}

describe('the simulated mail server', () => {
  const mail = createLogMail(silentLogger, () => Date.UTC(2026, 0, 1))
  mailPortContract({
    mail: () => mail,
    arrived: async () => [...mail.outbox()!].reverse(),
  })

  it('shows the newest first, the last twenty', async () => {
    for (let i = 0; i < 25; i++) await mail.send({ to: 'a@b.example', subject: `n ${i}`, text: '' })
    expect(mail.outbox()).toHaveLength(20)
    expect(mail.outbox()![0]).toMatchObject({ subject: 'n 24', at: '2026-01-01T00:00:00.000Z' })
  })
})

describe('SMTP, over the wire', () => {
  let server: MailServer
  let mail: ReturnType<typeof createSmtpMail>
  beforeAll(async () => {
    server = await startMailServer({ accounts: { thingwright: 'p@ss:w/rd %' } })
    mail = createSmtpMail({
      url: `smtp://thingwright:${encodeURIComponent('p@ss:w/rd %')}@127.0.0.1:${server.port}/?tls=0`,
      from: '物匠云 <no-reply@iot.example>',
    })
  })
  afterAll(async () => {
    mail.close()
    await server.stop()
  })
  mailPortContract({ mail: () => mail, arrived: async () => server.mails.map(read) })

  it('signs in, and sends as the configured sender, marked as written by a machine', async () => {
    await mail.send({ to: 'a@b.example', subject: 's', text: 't', html: '<p>t</p>' })
    const sent = server.mails.at(-1)!
    expect(sent).toMatchObject({ authenticatedAs: 'thingwright', from: 'no-reply@iot.example', to: ['a@b.example'] })
    expect(sent.raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m)
    expect(sent.raw).toContain('multipart/alternative')
  })

  const attempt = async (url: string) => {
    const other = createSmtpMail({ url, from: 'a@b.example', timeoutMs: 60_000 })
    try {
      return (await other.send({ to: 'a@b.example', subject: 's', text: 't' }).catch((e: unknown) => e)) as MailError
    } finally {
      other.close()
    }
  }

  it('says for good that a password is wrong or a mailbox unknown, and for now that nobody answers', async () => {
    const wrong = await attempt(`smtp://thingwright:wrong-password@127.0.0.1:${server.port}/?tls=0`)
    expect(wrong).toBeInstanceOf(MailError)
    expect(wrong.permanent).toBe(true)
    expect(wrong.message).not.toContain('wrong-password')
    server.refuseWith(550)
    expect(
      (await mail.send({ to: 'x@b.example', subject: 's', text: 't' }).catch((e: unknown) => e)) as MailError,
    ).toMatchObject({ permanent: true })
    server.refuseWith(451)
    expect(
      (await mail.send({ to: 'x@b.example', subject: 's', text: 't' }).catch((e: unknown) => e)) as MailError,
    ).toMatchObject({ permanent: false })
    server.refuseWith(null)
    expect((await attempt('smtp://127.0.0.1:9/?tls=0')).permanent).toBe(false)
  })

  it('gives no password to a server without encryption, unless told so', async () => {
    const before = server.mails.length
    expect(await attempt(`smtp://thingwright:secret-1@127.0.0.1:${server.port}`)).toBeInstanceOf(MailError)
    expect(server.mails.length).toBe(before)
  })
})

/** The parts of a mail that the contract speaks of, decoded by hand: RFC 2047 words, quoted-printable and base64. */
function read(mail: TakenMail): ArrivedMail {
  const [head = '', ...rest] = mail.raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  const body = rest.join('\r\n\r\n')
  const coding = header('content-transfer-encoding').toLowerCase()
  const bytes =
    coding === 'base64' ? Buffer.from(body, 'base64') : coding === 'quoted-printable' ? quoted(body) : Buffer.from(body)
  const flowed = header('content-type').includes('format=flowed')
  const text = bytes.toString('utf8')
  return {
    to: mail.to.join(','),
    subject: header('subject')
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
        kind.toLowerCase() === 'b'
          ? Buffer.from(word, 'base64').toString('latin1')
          : quoted(word.replaceAll('_', ' ')).toString('latin1'),
      )
      .replace(/[\s\S]*/, latin =>
        /[^\u0000-\u00ff]/.test(latin) ? latin : Buffer.from(latin, 'latin1').toString('utf8'),
      ),
    text: flowed ? text.replaceAll(/ \r\n/g, ' ') : text,
  }
}

function quoted(text: string): Buffer {
  const plain = text.replaceAll(/=\r\n/g, '')
  return Buffer.from(
    plain.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
