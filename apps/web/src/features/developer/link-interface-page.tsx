import { lazy, Suspense, useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useMay } from '../../lib/permissions.ts'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { NoPermissionState } from '../../ui/states.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import css from './developer.module.css'

const TABS = {
  access: lazy(async () => ({ default: (await import('./access/access-tab.tsx')).AccessTab })),
  explorer: lazy(async () => ({ default: (await import('./explorer/explorer-tab.tsx')).ExplorerTab })),
  errors: lazy(async () => ({ default: (await import('./errors/errors-tab.tsx')).ErrorsTab })),
  calls: lazy(async () => ({ default: (await import('./calls/calls-tab.tsx')).CallsTab })),
  clients: lazy(async () => ({ default: (await import('./clients/clients-tab.tsx')).ClientsTab })),
  sdk: lazy(async () => ({ default: (await import('./sdk/sdk-tab.tsx')).SdkTab })),
}
/** A list page of its own, with the tabs in its card. */
const KeysPage = lazy(async () => ({ default: (await import('./keys/keys-page.tsx')).KeysPage }))

const KEYS = ['access', 'keys', 'explorer', 'errors', 'calls', 'clients', 'sdk'] as const
type Tab = (typeof KEYS)[number]

/** Everything for people who let other programs and devices speak with this installation. The open tab stands in the address. */
export function LinkInterfacePage() {
  const { t } = useTranslation('developer')
  const [search, setSearch] = useSearchParams()
  const allowed = useMay('apiKeys.list')
  const asked = search.get('tab')
  const tab: Tab = KEYS.find(each => each === asked) ?? 'access'
  // Another tab has filters of its own.
  const onChange = useCallback((next: string) => setSearch({ tab: next }, { replace: true }), [setSearch])
  const tabs = { items: KEYS.map(key => ({ key, label: t(`tab.${key}`) })), active: tab, onChange }
  if (tab === 'keys' && allowed)
    return (
      <Suspense fallback={<FrameSkeleton />}>
        <KeysPage tabs={tabs} />
      </Suspense>
    )
  const Content = tab === 'keys' ? null : TABS[tab]
  return (
    <div className={css.page}>
      <PageHeader title={t('title')} description={t('lead')} />
      {allowed && (
        <div className={css.tabs}>
          <TabBar label={t('title')} {...tabs} />
        </div>
      )}
      {allowed && Content ? (
        <div role="tabpanel" aria-label={t(`tab.${tab}`)}>
          <Suspense fallback={<FrameSkeleton />}>
            <Content />
          </Suspense>
        </div>
      ) : (
        <NoPermissionState of="apiKeys.list" />
      )}
    </div>
  )
}
