import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { HeroDrawing } from '../components/hero-drawing.tsx'
import { SignInCard } from '../components/sign-in-card.tsx'
import { useSignedIn } from '../components/use-signed-in.ts'
import css from './index-page.module.css'

const RegisterDialog = lazy(async () => ({
  default: (await import('../components/register-dialog.tsx')).RegisterDialog,
}))
const ForgotDialog = lazy(async () => ({ default: (await import('../components/forgot-dialog.tsx')).ForgotDialog }))
const ResetLinkDialog = lazy(async () => ({
  default: (await import('../components/reset-link-dialog.tsx')).ResetLinkDialog,
}))
const SsoDialog = lazy(async () => ({ default: (await import('../components/sso-form.tsx')).SsoDialog }))
const SsoReturn = lazy(async () => ({ default: (await import('../components/sso-return.tsx')).SsoReturn }))
const InviteDialog = lazy(async () => ({ default: (await import('../components/invite-dialog.tsx')).InviteDialog }))

/**
 * Landing page: what this is, at the right the way in. Signed-in people never see it (guard), unless they follow a link.
 * The dialog that is open stands in the address; the secret of a link behind its #, where servers do not see it.
 */
export function IndexPage() {
  const { t } = useTranslation('identity')
  const navigate = useNavigate()
  const { search, hash } = useLocation()
  const done = useSignedIn()
  const asked = new URLSearchParams(search)
  const token = hash.slice(1)
  const app = asked.get('app')
  // Which company's end user is meant stays in the address until he signs in.
  const close = () => void navigate(app ? `/index?app=${encodeURIComponent(app)}` : '/index', { replace: true })
  return (
    <div className={css.page} data-testid="index-page">
      <section className={css.hero}>
        <h1>{t('hero.title')}</h1>
        <p className={css.lead}>{t('hero.text')}</p>
        <HeroDrawing />
        <ul className={css.facts}>
          {(['fact1', 'fact2', 'fact3'] as const).map(fact => (
            <li key={fact}>
              <b>{t(`hero.${fact}.title`)}</b>
              <span>{t(`hero.${fact}.text`)}</span>
            </li>
          ))}
        </ul>
      </section>
      <div className={css.side}>
        <SignInCard onOpen={dialog => void navigate(`/index?${dialog}=1`)} />
      </div>
      <Suspense>
        {asked.has('register') && <RegisterDialog onDone={done} onClose={close} />}
        {asked.has('sso-company') && <SsoDialog onClose={close} />}
        {asked.has('sso') && <SsoReturn outcome={asked.get('sso') ?? ''} onDone={done} onClose={close} />}
        {asked.has('forgot') && <ForgotDialog onClose={close} />}
        {asked.has('reset') && <ResetLinkDialog key={token} token={token} onClose={close} />}
        {asked.has('invite') && <InviteDialog key={token} token={token} onDone={done} onClose={close} />}
      </Suspense>
    </div>
  )
}
