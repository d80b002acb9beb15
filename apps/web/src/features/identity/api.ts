import { type Body, call, type Reply } from '../../lib/api-client.ts'
import { usePortal } from '../../lib/portal.ts'
import { keepToken } from '../../lib/session.ts'

/** An answered picture, where one is asked for. */
export type GivenCaptcha = { captchaId: string; captcha: string } | undefined

/** Which company's end user is meant: the portal is one company's, and the link of an invitation carries it. */
function asked(): { thingwrightAppId?: string } {
  const { portal } = usePortal.getState()
  if (portal) return { thingwrightAppId: portal.appId }
  const app = new URLSearchParams(window.location.search).get('app')
  return app ? { thingwrightAppId: app } : {}
}

/** Signs in with user name and password. Throws ApiError with the server's reason; never repeated by itself. */
export async function signInWithPassword(username: string, password: string, captcha?: GivenCaptcha): Promise<void> {
  const answer = captcha ? { captcha_id: captcha.captchaId, captcha: captcha.captcha } : {}
  keepToken(
    await call('identity.token', {
      body: { grant_type: 'password', username, password, ...answer, ...asked() },
      interfaceType: 'accountSign',
    }),
  )
}

/** Signs in with a code sent to a phone. */
export async function signInWithCode(phone: string, code: string): Promise<void> {
  keepToken(
    await call('identity.token', {
      body: { grant_type: 'sms_code', phone, code, ...asked() },
      interfaceType: 'phoneSign',
    }),
  )
}

/** Has a code sent; returns the seconds until another may be asked for. */
export async function sendCode(
  phone: string,
  purpose: 'sign_in' | 'register' | 'reset' = 'sign_in',
  captcha?: GivenCaptcha,
): Promise<number> {
  return (await call('identity.smsCode', { body: { phone, purpose, ...captcha } })).retryAfterSeconds
}

export function fetchCaptcha(signal: AbortSignal): Promise<Reply<'identity.captcha'>> {
  return call('identity.captcha', { signal })
}

/** Registers a company and signs its owner in. */
export async function register(body: Body<'identity.register'>): Promise<void> {
  keepToken(await call('identity.register', { body }))
}

export async function resetByCode(body: { phone: string; code: string; password: string }): Promise<void> {
  await call('identity.resetPassword', { body })
}

export async function resetByLink(token: string, password: string): Promise<void> {
  await call('identity.resetPassword', { body: { token, password } })
}

/** Has a link mailed, if the address belongs to somebody; the answer does not say. */
export async function askResetLink(email: string, captcha: GivenCaptcha): Promise<void> {
  await call('identity.resetLink', { body: { email, ...captcha } })
}

export function readInvitation(token: string, signal: AbortSignal): Promise<Reply<'members.invitation'>> {
  return call('members.invitation', { body: { token }, signal })
}

/** Makes the login an invitation stands for and signs it in. */
export async function acceptInvitation(body: Body<'members.accept'>): Promise<void> {
  keepToken(await call('members.accept', { body }))
}

export interface SimulatedMessage {
  to: string
  text: string
  at: string
}

/** What simulated carrier and mail server "sent", newest first (demo installations only). */
export async function simulatedMessages(signal: AbortSignal): Promise<SimulatedMessage[]> {
  const none = { items: [] }
  const [texts, mails] = await Promise.all([
    call('identity.simulatedSms', { signal }).catch(() => none),
    call('identity.simulatedMail', { signal }).catch(() => none),
  ])
  return [
    ...texts.items.map(({ phone, text, at }) => ({ to: phone, text, at })),
    ...mails.items.map(({ to, subject, text, at }) => ({ to, text: `${subject}\n${text}`, at })),
  ].sort((a, b) => b.at.localeCompare(a.at))
}
