import { useState } from 'react'
import css from './page.module.css'
import type { VisitError } from './visit.ts'
import words from './words.json' with { type: 'json' }

/** What stands in place of a page that is not shown: why, and what can be done. */
export function Door({
  error,
  language,
  onPasscode,
  onAgain,
}: {
  error: VisitError
  language: 'zh' | 'en'
  onPasscode(passcode: string): void
  onAgain(): void
}) {
  const t = words[language]
  const [passcode, setPasscode] = useState('')
  const asks =
    error.code === 'page.passcode_required' || error.code === 'page.passcode_wrong' || error.code === 'page.locked'
  if (asks)
    return (
      <main className={css.page}>
        <form
          className={css.card}
          onSubmit={event => {
            event.preventDefault()
            onPasscode(passcode)
          }}
        >
          <h1>{t.enterPasscode}</h1>
          <label>
            {t.passcode}
            <input
              className={css.field}
              type="password"
              autoComplete="off"
              value={passcode}
              onChange={event => setPasscode(event.target.value)}
            />
          </label>
          {error.code !== 'page.passcode_required' && (
            <p className={css.error} role="alert">
              {error.message}
            </p>
          )}
          <div className={css.row}>
            <button type="submit" className={css.primary} disabled={passcode === ''}>
              {t.open}
            </button>
          </div>
        </form>
      </main>
    )
  const [title, text] =
    error.code === 'page.off_line'
      ? [t.offTitle, t.offText]
      : error.code === 'page.link_required'
        ? [t.linkTitle, t.linkText]
        : error.code.startsWith('page.link')
          ? [t.expiredTitle, error.code === 'page.link_expired' ? t.expiredText : t.invalidText]
          : error.code === 'page.role_required'
            ? [t.roleTitle, t.roleText]
            : error.code === 'page.sign_in_required'
              ? [t.signInTitle, t.signInText]
              : [t.failedTitle, error.message]
  return (
    <main className={css.page}>
      <section className={css.card} role="alert">
        <h1>{title}</h1>
        <p>{text}</p>
        <div className={css.row}>
          {error.code === 'page.sign_in_required' && (
            <a
              className={css.primary}
              href="/index"
              onClick={() => sessionStorage.setItem('redirectURL', location.pathname + location.search)}
            >
              {t.signIn}
            </a>
          )}
          <button type="button" className={css.plain} onClick={onAgain}>
            {t.again}
          </button>
        </div>
      </section>
    </main>
  )
}
