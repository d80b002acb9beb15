import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { chooseAppearance, useAppearance } from '../../lib/appearance.ts'
import { brandTitle, useBranding } from '../../lib/branding.ts'
import { changeLocale, locale } from '../../lib/i18n.ts'
import { useSession } from '../../lib/session.ts'
import { signOut } from '../../lib/sign-out.ts'
import { Dropdown } from './dropdown.tsx'
import css from './header.module.css'
import { LanguageIcon, Mark, MoonIcon, PersonIcon, ShieldIcon, SignOutIcon, SunIcon } from './icons.tsx'
import { MenuButton } from './menu-button.tsx'

/** Where everybody keeps his own password, second step and sessions. */
const SECURITY = '/admin/security'
const PROFILE = `${SECURITY}?tab=contact`
/** The days left are shown from here on. */
const SHOWN_DAYS = 30

/** Header bar, 60 px: mark and title, language, appearance, account. */
export function Header() {
  const { t } = useTranslation('shell')
  const mode = useAppearance(s => s.mode)
  const signedIn = useSession(s => s.token !== null)
  const next = locale() === 'zh' ? 'en' : 'zh'
  const turned = mode === 'light' ? 'dark' : 'light'
  return (
    <header className={css.header} data-testid="header">
      <div className={css.sideOf}>
        <MenuButton />
        <Brand />
      </div>
      <div className={css.middle} id="tw-header-middle" />
      <div className={`${css.sideOf} ${css.rightOf}`}>
        <div className={css.items} id="tw-header-items" />
        <button
          type="button"
          className={css.tool}
          lang={next === 'zh' ? 'zh-CN' : 'en'}
          aria-label={`${t('header.languageShort')} ${t('header.language')}`}
          title={t('header.language')}
          data-testid="switch-language"
          onClick={() => void changeLocale(next)}
        >
          {t('header.languageShort')}
        </button>
        <button
          type="button"
          className={css.tool}
          aria-label={t(`header.${turned}`)}
          title={t(`header.${turned}`)}
          data-testid="switch-appearance"
          onClick={() => chooseAppearance(turned)}
        >
          {mode === 'light' ? <MoonIcon /> : <SunIcon />}
        </button>
        {signedIn && <Account />}
      </div>
    </header>
  )
}

/** The company's own mark and title, or the product's. */
function Brand() {
  const { t } = useTranslation('shell')
  const branding = useBranding()
  const title = brandTitle(branding)
  return (
    <Link to="/index" className={css.brand} data-testid="brand">
      {branding.logo ? <img src={branding.logo} alt="" width={28} height={28} className={css.brandLogo} /> : <Mark />}
      <span>{title ?? t('brand')}</span>
      {title === null && <small>{t('tagline')}</small>}
    </Link>
  )
}

function Account() {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const me = useSession(s => s.me)
  const username = useSession(s => s.token?.username ?? '')
  const name = me?.displayName || username
  const left = me?.company.daysLeft ?? null
  const turned = useAppearance(s => (s.mode === 'light' ? 'dark' : 'light'))
  const entry = (
    key: 'profile' | 'security' | 'light' | 'dark' | 'language',
    icon: ReactNode,
    onSelect: () => void,
  ) => ({
    key,
    label: (
      <>
        {icon}
        {t(`header.${key}`)}
      </>
    ),
    onSelect,
  })
  return (
    <>
      {left !== null && left >= 0 && left < SHOWN_DAYS && (
        <span className={css.days} data-testid="days-left">
          {left === 0 ? t('header.endsToday') : t('header.daysLeft', { count: left })}
        </span>
      )}
      <Dropdown
        label={t('header.account', { name })}
        className={css.accountBox}
        buttonClass={css.account}
        button={
          <>
            <span className={css.avatar} aria-hidden="true">
              {[...name.trim()][0]?.toUpperCase() ?? '·'}
            </span>
            <span className={css.who}>
              <b>{name}</b>
              {me && <span>{me.company.name}</span>}
            </span>
          </>
        }
        head={
          <>
            <b>{name}</b>
            <span>{username}</span>
            {me && <span>{me.company.name}</span>}
            {me && me.roles.length > 0 && (
              <span>{me.roles.map(role => (locale() === 'en' ? role.ename : role.name)).join(' · ')}</span>
            )}
          </>
        }
        items={[
          ...(me?.menuPermissions.includes(SECURITY)
            ? [
                entry('profile', <PersonIcon />, () => void navigate(PROFILE)),
                entry('security', <ShieldIcon />, () => void navigate(SECURITY)),
              ]
            : []),
          entry(turned, turned === 'dark' ? <MoonIcon /> : <SunIcon />, () => chooseAppearance(turned)),
          entry('language', <LanguageIcon />, () => void changeLocale(locale() === 'zh' ? 'en' : 'zh')),
          {
            key: 'sign-out',
            label: (
              <>
                <SignOutIcon />
                {t('header.signOut')}
              </>
            ),
            onSelect: () => void signOut(),
          },
        ]}
      />
    </>
  )
}
