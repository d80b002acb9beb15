import { type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { boot } from '../../../lib/boot.ts'
import { passkeysHere, signInWithPasskey, useStep } from '../step.ts'
import { CodeForm } from './code-form.tsx'
import { Failure } from './form-parts.tsx'
import { PasswordForm } from './password-form.tsx'
import css from './sign-in.module.css'
import { useSignedIn } from './use-signed-in.ts'
import { useSubmit } from './use-submit.ts'

const SecondStep = lazy(async () => ({ default: (await import('./second-step.tsx')).SecondStep }))

const WAYS = ['password', 'code'] as const

/** The sign-in card, 400 px wide: two ways in. Afterwards back to where one wanted to go, else to the first menu entry. */
export function SignInCard({ onOpen }: { onOpen: (dialog: 'register' | 'forgot' | 'sso-company') => void }) {
  const { t } = useTranslation('identity')
  const done = useSignedIn()
  const step = useStep(s => s.step)
  const passkey = useSubmit(done)
  const [way, setWay] = useState<(typeof WAYS)[number]>('password')
  const tabs = useRef<HTMLDivElement>(null)
  const demo = boot().demoSignIn
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const next = way === 'password' ? 'code' : 'password'
    setWay(next)
    tabs.current?.querySelector<HTMLElement>(`#tab-${next}`)?.focus()
  }
  if (step)
    return (
      <Suspense fallback={<section className={css.card} aria-busy="true" />}>
        <SecondStep step={step} onDone={done} />
      </Suspense>
    )
  const signInByPasskey = () =>
    passkey.run(async () => {
      try {
        await signInWithPasskey()
      } catch (error) {
        if (error instanceof DOMException || (error instanceof Error && error.name === 'NotAllowedError'))
          throw new Error(t('passkey.cancelled'), { cause: error })
        throw error
      }
    })
  return (
    <section className={css.card} aria-labelledby="sign-in-title" data-testid="sign-in-card" data-keep-clear="">
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
        {way === 'password' ? (
          <PasswordForm onDone={done} onUseCode={() => setWay('code')} />
        ) : (
          <CodeForm onDone={done} />
        )}
      </div>
      <div className={css.otherWays}>
        {passkeysHere() && (
          <button
            type="button"
            className={css.otherWay}
            disabled={passkey.busy}
            onClick={() => void signInByPasskey()}
            data-testid="passkey-sign-in"
          >
            {t('passkey.signIn')}
          </button>
        )}
        <button type="button" className={css.otherWay} onClick={() => onOpen('sso-company')} data-testid="open-sso">
          {t('sso.open')}
        </button>
      </div>
      {passkey.failure && <Failure text={t('passkey.failed')} />}
      <p className={css.links}>
        <button type="button" className={css.textButton} onClick={() => onOpen('register')} data-testid="open-register">
          {t('newCompany')}
        </button>
        <button type="button" className={css.textButton} onClick={() => onOpen('forgot')} data-testid="open-forgot">
          {t('forgot')}
        </button>
      </p>
      {demo && (way === 'password' || demo.phone) && (
        <p className={css.demo} data-testid="demo-hint">
          {t(way === 'password' && demo.password === undefined ? 'demo.printed' : 'demo.filled')}{' '}
          <b>{way === 'password' ? demo.username : demo.phone}</b>
        </p>
      )}
    </section>
  )
}
