import { call, type Reply } from '../../lib/api-client.ts'
import { keepToken } from '../../lib/session.ts'

/** Signs in with user name and password. Throws ApiError with the server's reason; never repeated by itself. */
export async function signInWithPassword(username: string, password: string): Promise<void> {
  keepToken(
    await call('identity.token', {
      body: { grant_type: 'password', username, password },
      interfaceType: 'accountSign',
    }),
  )
}

/** Signs in with a code sent to a phone. */
export async function signInWithCode(phone: string, code: string): Promise<void> {
  keepToken(await call('identity.token', { body: { grant_type: 'sms_code', phone, code }, interfaceType: 'phoneSign' }))
}

/** Has a code sent; returns the seconds until another may be asked for. */
export async function sendCode(phone: string): Promise<number> {
  return (await call('identity.smsCode', { body: { phone, purpose: 'sign_in' } })).retryAfterSeconds
}

/** What the simulated carrier "sent", newest first (demo installations only). */
export async function simulatedMessages(signal: AbortSignal): Promise<Reply<'identity.simulatedSms'>['items']> {
  const { items } = await call('identity.simulatedSms', { signal })
  return [...items].sort((a, b) => b.at.localeCompare(a.at))
}
