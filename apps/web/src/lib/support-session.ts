import type { TokenReply } from '@thingwright/contracts/identity.contract'
import { refreshToken } from './api/token-refresh.ts'
import { locale } from './i18n.ts'
import { keepToken, useSession } from './session.ts'

/** Goes on inside a company with the token of a support session; the own session waits in its cookie. */
export function enterCompany(token: TokenReply): void {
  keepToken(token)
  // Everything on the screen belongs to the platform's own company.
  window.location.assign('/index')
}

/** Back to the operator's own session: the refresh cookie was his all the time. */
export async function leaveCompany(): Promise<void> {
  const inside = useSession.getState().token
  // The renewed token is of another company: the refresh itself opens the desk.
  if (!inside || !(await refreshToken(inside.access_token, locale()))) window.location.assign('/index')
}
