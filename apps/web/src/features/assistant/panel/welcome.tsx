import { useTranslation } from 'react-i18next'
import { goTo } from '../../../lib/navigation.ts'
import { useSession } from '../../../lib/session.ts'
import { useChat } from '../chat/chat-store.ts'
import type { PageContext } from '../model.ts'
import { contextOf, startersOf } from '../page-context.ts'
import { closePanel } from '../panel-state.ts'
import css from './messages.module.css'

/** What an empty conversation says: what the assistant is for, and questions to begin with. */
export function Welcome({
  pathname,
  onSend,
}: {
  pathname: string
  onSend: (input: string, context?: PageContext) => void
}) {
  const { t } = useTranslation('assistant')
  const signedIn = useSession(s => s.token !== null)
  const always = t('starters.always', { returnObjects: true }) as string[]
  const key = signedIn ? startersOf(pathname) : null
  const here = key ? (t(`starters.pages.${key}`, { returnObjects: true }) as string[]) : []
  // Questions about "this device" mean the one that the page shows.
  const context = contextOf(pathname, window.location.search) ?? undefined
  return (
    <div className={css.welcome}>
      {signedIn && (
        <>
          <h3>{t('welcome.title')}</h3>
          <p>{t('welcome.text')}</p>
        </>
      )}
      <p className={css.try}>{t('starters.label')}</p>
      <ul>
        {[...always.map(text => ({ text, about: undefined })), ...here.map(text => ({ text, about: context }))].map(
          ({ text, about }) => (
            <li key={text}>
              <button
                type="button"
                className={css.starter}
                data-testid="ai-starter"
                onClick={() => {
                  if (signedIn) onSend(text, about)
                  else {
                    useChat.setState({ draft: text })
                    document.querySelector<HTMLElement>('[data-testid=ai-sign-in]')?.focus()
                  }
                }}
              >
                {text}
              </button>
            </li>
          ),
        )}
      </ul>
    </div>
  )
}

/** A visitor is asked to sign in; nothing is sent for him. */
export function SignInAsked() {
  const { t } = useTranslation('assistant')
  return (
    <div className={css.signIn} data-testid="ai-sign-in-asked">
      <b>{t('signIn.title')}</b>
      <p>{t('signIn.text')}</p>
      <button
        type="button"
        className={css.signInButton}
        data-testid="ai-sign-in"
        onClick={() => {
          const here = window.location.pathname === '/index'
          // The page brings its own first field into focus when it is opened; here it is already there.
          closePanel(() => {
            if (here) document.querySelector<HTMLElement>('[data-testid=sign-in-card] input')?.focus()
          })
          if (!here) goTo('/index')
        }}
      >
        {t('signIn.button')}
      </button>
    </div>
  )
}
