import { loadTexts, text } from '../i18n.ts'
import { goTo, withoutLanguage } from '../navigation.ts'
import { notify } from '../notify.ts'
import { endSession, isSignedIn } from '../session.ts'
import { local, session } from '../storage.ts'

const SHOWN_MS = 2000
let ending: Promise<void> | null = null

/**
 * The end of a session that could not be refreshed: the message stands for 2 s, then the entries are cleared, then
 * the path to return to is written (in this order, or it would be cleared too), and the sign-in page is opened.
 * Requests that fail meanwhile share the one ending. Resolves once the person is signed out.
 */
export function expireSession(): Promise<void> {
  if (!isSignedIn()) return Promise.resolve()
  ending ??= (async () => {
    const { pathname, search, hash } = window.location
    await loadTexts('common').catch(() => undefined)
    notify.error(text('common:session.expired'), { durationMs: SHOWN_MS })
    await new Promise(resolve => setTimeout(resolve, SHOWN_MS))
    endSession()
    local.remove('appearance', 'lang')
    session.remove('redirectURL')
    const target = withoutLanguage(pathname + search + hash)
    if (!/^\/(index)?(?:[?#]|$)/.test(target)) session.set('redirectURL', target)
    goTo('/index')
  })().finally(() => {
    ending = null
  })
  return ending
}
