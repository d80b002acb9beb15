import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../../lib/permissions.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../security.module.css'

const TABS = {
  password: lazy(async () => ({ default: (await import('../components/password-tab.tsx')).PasswordTab })),
  contact: lazy(async () => ({ default: (await import('../components/contact-tab.tsx')).ContactTab })),
  factors: lazy(async () => ({ default: (await import('../components/factors-tab.tsx')).FactorsTab })),
  passkeys: lazy(async () => ({ default: (await import('../components/passkeys-tab.tsx')).PasskeysTab })),
  sessions: lazy(async () => ({ default: (await import('../components/sessions-tab.tsx')).SessionsTab })),
  history: lazy(async () => ({ default: (await import('../components/history-tab.tsx')).HistoryTab })),
  policy: lazy(async () => ({ default: (await import('../components/policy-tab.tsx')).PolicyTab })),
  sso: lazy(async () => ({ default: (await import('../components/sso-tab.tsx')).SsoTab })),
  closing: lazy(async () => ({ default: (await import('../components/closing-tab.tsx')).ClosingTab })),
}
type Tab = keyof typeof TABS
const KEYS = Object.keys(TABS) as Tab[]

/** Everything that keeps one's own sign-in and the company's safe; the open tab stands in the address. */
export function SecurityPage() {
  const { t } = useTranslation('security')
  const [search, setSearch] = useSearchParams()
  const mayRule = useMay('security.setPolicy')
  const asked = search.get('tab')
  const tab: Tab = KEYS.find(each => each === asked) ?? 'password'
  const Content = TABS[tab]
  return (
    <div className={css.page}>
      <PageHeader title={t('title')} description={t('lead')} />
      <div className={css.tabs}>
        <TabBar
          label={t('title')}
          active={tab}
          items={KEYS.filter(each => each !== 'policy' || mayRule).map(each => ({
            key: each,
            label: t(`tab.${each}`),
          }))}
          onChange={next => setSearch({ tab: next }, { replace: true })}
        />
      </div>
      {tab === 'policy' && !mayRule ? (
        <NoPermissionState of="security.setPolicy" />
      ) : (
        <Suspense fallback={<FrameSkeleton />}>
          <Content />
        </Suspense>
      )}
    </div>
  )
}
