import type { CompanyView } from '@thingwright/contracts/company.contract'
import { Skeleton } from 'antd'
import { type ComponentType, lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { companyTabs } from '../../../lib/company-tabs.ts'
import { may, useMay } from '../../../lib/permissions.ts'
import { useSession } from '../../../lib/session.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import css from '../company.module.css'
import { BrandingTab } from '../components/branding-tab.tsx'
import { ProfileTab } from '../components/profile-tab.tsx'
import { RetentionTab } from '../components/retention-tab.tsx'
import { SupportTab } from '../components/support-tab.tsx'
import { TransferTab } from '../components/transfer-tab.tsx'
import { UsageTab } from '../components/usage-tab.tsx'
import { VerificationTab } from '../components/verification-tab.tsx'
import { useCompany } from '../hooks.ts'

const TABS = ['profile', 'verification', 'branding', 'data', 'usage', 'support', 'transfer'] as const
type Tab = (typeof TABS)[number]

const STATE = {
  inactive: 'disabled',
  frozen: 'error',
  expired: 'error',
  trial: 'processing',
  active: 'success',
  grace: 'warning',
} as const

/** Tabs of other areas, downloaded when first opened; the page stays the same component from one drawing to the next. */
const brought = new Map<string, ComponentType>()
function broughtTab(key: string): ComponentType | undefined {
  const tab = companyTabs().find(each => each.key === key)
  if (tab && !brought.has(key))
    brought.set(
      key,
      lazy(async () => ({ default: (await tab.load()).Component })),
    )
  return brought.get(key)
}

/** The company account: who it is, how it looks, how long data is kept, what is used, whom it lets in. */
export function AccountPage() {
  const { t } = useTranslation('company')
  const [search, setSearch] = useSearchParams()
  const allowed = useMay('account.get')
  const mayWrite = useMay('account.setBranding')
  const company = useCompany(allowed)
  const rights = useSession(s => s.me?.permissions)
  const own = TABS.filter(tab => mayWrite || (tab !== 'support' && tab !== 'transfer'))
  const others = companyTabs().filter(tab => may(rights, tab.of))
  const shown: string[] = [...own, ...others.map(tab => tab.key)]
  const active = shown.find(tab => tab === search.get('tab')) ?? 'profile'
  const other = others.find(tab => tab.key === active)
  const Other = other && broughtTab(active)
  if (!allowed) return <NoPermissionState of="account.get" />
  if (Other && other.wholePage?.(search))
    return (
      <Suspense fallback={<FrameSkeleton />}>
        <Other />
      </Suspense>
    )
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('lead')}
        extra={
          company.data && <StatusTag kind={STATE[company.data.status]}>{t(`status.${company.data.status}`)}</StatusTag>
        }
      />
      <TabBar
        label={t('title')}
        items={shown.map(key => ({ key, label: t(`tab.${key as Tab}`) }))}
        active={active}
        onChange={key => setSearch({ tab: key }, { replace: true })}
      />
      <div role="tabpanel" className={css.panel} aria-label={t(`tab.${active as Tab}`)}>
        {Other ? (
          <Suspense fallback={<FrameSkeleton />}>
            <Other />
          </Suspense>
        ) : company.isError ? (
          <Panel>
            <ErrorState error={company.error} onRetry={() => void company.refetch()} />
          </Panel>
        ) : company.data ? (
          <Body tab={active as Tab} company={company.data} mayWrite={mayWrite} />
        ) : (
          <Panel>
            <Skeleton active paragraph={{ rows: 8 }} />
          </Panel>
        )}
      </div>
    </>
  )
}

function Body({ tab, company, mayWrite }: { tab: Tab; company: CompanyView; mayWrite: boolean }) {
  switch (tab) {
    case 'profile':
      return <ProfileTab key={company.version} company={company} mayWrite={mayWrite} />
    case 'verification':
      return <VerificationTab mayWrite={mayWrite} />
    case 'branding':
      return <BrandingTab key={company.version} company={company} mayWrite={mayWrite} />
    case 'data':
      return <RetentionTab company={company} mayWrite={mayWrite} />
    case 'usage':
      return <UsageTab />
    case 'support':
      return <SupportTab />
    case 'transfer':
      return <TransferTab />
  }
}
