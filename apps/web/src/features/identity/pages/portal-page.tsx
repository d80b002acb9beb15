import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type LoaderFunctionArgs, redirect, useLoaderData, useNavigate, useSearchParams } from 'react-router'
import { brandTitle, useBranding } from '../../../lib/branding.ts'
import { changeLocale, locale } from '../../../lib/i18n.ts'
import { enterPortal, isAtHome, portalImage, portalPath } from '../../../lib/portal.ts'
import { ServerState } from '../../../lib/server-state/server-state.tsx'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CodeForm } from '../components/code-form.tsx'
import { PasswordForm } from '../components/password-form.tsx'
import { SecondStep } from '../components/second-step.tsx'
import card from '../components/sign-in.module.css'
import { WayTabs } from '../components/way-tabs.tsx'
import { WechatSignIn } from '../components/wechat-sign-in.tsx'
import { useStep } from '../step.ts'
import css from './portal-page.module.css'

/** The portal, before anything of it is shown; whoever is signed in there already goes on. */
export async function loadPortal({ params }: LoaderFunctionArgs) {
  const portal = await enterPortal(params.suffix ?? '')
  if (portal && isAtHome(portal)) throw redirect(portalPath(portal.suffix, '/home'))
  return portal
}

const WAYS = ['password', 'code'] as const

/** The sign-in of a company's portal: its looks and nothing of anybody else. */
export function PortalPage() {
  return (
    <ServerState>
      <SignIn />
    </ServerState>
  )
}

function SignIn() {
  const { t } = useTranslation('identity')
  const navigate = useNavigate()
  const portal = useLoaderData<Awaited<ReturnType<typeof loadPortal>>>()
  const branding = useBranding()
  const step = useStep(s => s.step)
  const outcome = useSearchParams()[0].get('wechat')
  const { run: bind } = useAct('wechatSignIn.bind')
  const [way, setWay] = useState<(typeof WAYS)[number]>('password')
  if (!portal)
    return (
      <div className={css.page} data-testid="portal-missing">
        <div className={css.middle}>
          <h1 className={css.name}>{t('portal.missing')}</h1>
          <p className={css.note}>{t('portal.missingText')}</p>
        </div>
      </div>
    )
  const go = () => void navigate(portalPath(portal.suffix, '/home'), { replace: true })
  // A WeChat user whom the company did not know yet: the account that he signed in to is bound to him.
  const done = outcome === 'bind' ? () => void bind().finally(go) : go
  const logo = portalImage(portal, 'logo')
  const background = portalImage(portal, 'background')
  const other = locale() === 'en' ? 'zh' : 'en'
  return (
    <div
      className={css.page}
      data-testid="portal-sign-in"
      style={background ? { backgroundImage: `url("${background}")` } : undefined}
    >
      <div className={css.middle}>
        <header className={css.head}>
          {logo && <img src={logo} alt="" className={css.logo} />}
          <h1 className={css.name} dir="auto">
            {brandTitle(branding)}
          </h1>
        </header>
        {step ? (
          <SecondStep step={step} onDone={done} />
        ) : (
          <section className={card.card} aria-label={t('portal.title')}>
            <WayTabs
              id="portal-way"
              ways={WAYS.map(key => ({ key, label: t(`way.${key}`) }))}
              active={way}
              onChange={setWay}
            >
              {way === 'password' ? (
                <PasswordForm onDone={done} onUseCode={() => setWay('code')} />
              ) : (
                <CodeForm onDone={done} />
              )}
            </WayTabs>
            <WechatSignIn suffix={portal.suffix} outcome={outcome} onDone={go} />
          </section>
        )}
      </div>
      <footer className={css.foot}>
        {portal.copyright && <span dir="auto">{portal.copyright}</span>}
        {portal.icp && (
          <a href="https://beian.miit.gov.cn/" target="_blank" rel="noreferrer">
            {portal.icp}
          </a>
        )}
        <button type="button" className={card.textButton} lang={other} onClick={() => void changeLocale(other)}>
          {t('portal.otherLanguage')}
        </button>
      </footer>
    </div>
  )
}
