import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { boot } from '../../../lib/boot.ts'
import { ownPath } from '../../../lib/navigation.ts'
import { session } from '../../../lib/storage.ts'
import { CodeForm } from './code-form.tsx'
import { PasswordForm } from './password-form.tsx'
import css from './sign-in.module.css'

const WAYS = ['password', 'code'] as const

/** The sign-in card, 400 px wide: two ways in. Afterwards back to where one wanted to go, else to the first menu entry. */
export function SignInCard() {
  const { t } = useTranslation('identity')
  const navigate = useNavigate()
  const [way, setWay] = useState<(typeof WAYS)[number]>('password')
  const tabs = useRef<HTMLDivElement>(null)
  const demo = boot().demoSignIn
  const done = () => {
    const target = ownPath(session.get('redirectURL'))
    session.remove('redirectURL')
    // The guard sends signed-in people on from /index to the first entry of their menu.
    void navigate(target ?? '/index', { replace: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const next = way === 'password' ? 'code' : 'password'
    setWay(next)
    tabs.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus()
  }
  return (
    <section className={css.card} aria-labelledby="sign-in-title" data-testid="sign-in-card">
      <h2 className={css.title} id="sign-in-title">
        {t('title')}
      </h2>
      <div className={css.tabs} role="tablist" ref={tabs} onKeyDown={onKeyDown}>
        {WAYS.map(name => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={way === name}
            aria-controls="sign-in-panel"
            tabIndex={way === name ? 0 : -1}
            className={css.tab}
            onClick={() => setWay(name)}
          >
            {t(`way.${name}`)}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="sign-in-panel" aria-labelledby={`tab-${way}`}>
        {way === 'password' ? <PasswordForm onDone={done} /> : <CodeForm onDone={done} />}
      </div>
      {demo && (way === 'password' || demo.phone) && (
        <p className={css.demo} data-testid="demo-hint">
          {t(way === 'password' && demo.password === undefined ? 'demo.printed' : 'demo.filled')}{' '}
          <b>{way === 'password' ? demo.username : demo.phone}</b>
        </p>
      )}
    </section>
  )
}
