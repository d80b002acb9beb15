import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRevalidator, useRouteError } from 'react-router'
import { errorFacts } from '../../lib/errors.ts'
import { isSignedIn } from '../../lib/session.ts'
import { signOut } from '../../lib/sign-out.ts'
import { useEarlyFrameEnd } from '../early-frame.ts'
import { BlockedNavigation } from '../guard/blocked-navigation.ts'
import buttons from './buttons.module.css'
import { BROKEN, MessagePage } from './message-page.tsx'
import { isMissingPart, reloadOnce } from './missing-part.ts'
import css from './pages.module.css'

/** A page that failed, inside its layout: what happened, code and request id, a way on. */
export function RouteError() {
  const { t } = useTranslation('shell')
  const error = useRouteError()
  const revalidator = useRevalidator()
  useEffect(() => {
    if (isMissingPart(error)) reloadOnce(error)
  }, [error])
  if (error instanceof BlockedNavigation)
    return (
      <MessagePage
        testid="route-blocked"
        sign={BROKEN}
        title={error.message}
        actions={
          <a href="/index" className={buttons.primary}>
            {t('notFound.home')}
          </a>
        }
      />
    )
  const stale = isMissingPart(error)
  const { message, code, requestId } = errorFacts(error)
  return (
    <MessagePage
      testid="route-error"
      sign={BROKEN}
      title={t(stale ? 'failure.staleTitle' : 'failure.title')}
      actions={
        <>
          <button
            type="button"
            className={buttons.primary}
            disabled={revalidator.state === 'loading'}
            onClick={() => (stale || code === 'page.error' ? window.location.reload() : void revalidator.revalidate())}
          >
            {t(stale || code === 'page.error' ? 'failure.reload' : 'failure.retry')}
          </button>
          {isSignedIn() && (
            <button type="button" className={buttons.plain} onClick={() => void signOut()}>
              {t('header.signOut')}
            </button>
          )}
        </>
      }
    >
      <p className={css.text} role="alert">
        {stale ? t('failure.staleText') : message}
      </p>
      {!stale && (
        <p className={css.facts}>
          {code}
          {requestId && ` · ${requestId}`}
        </p>
      )}
    </MessagePage>
  )
}

/** The guard itself failed (the server is away, say): there is no layout to stand in. */
export function RootError() {
  useEarlyFrameEnd()
  return (
    <main style={{ minHeight: '100vh', display: 'flex' }}>
      <RouteError />
    </main>
  )
}
