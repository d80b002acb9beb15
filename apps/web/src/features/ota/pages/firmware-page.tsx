import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { useListTab } from '../../../ui/list-page/use-list-tab.ts'
import { type FirmwareTab, NEW_CAMPAIGN } from '../addresses.ts'
import type { ListTabs } from '../list-tabs.ts'

const CampaignList = lazy(async () => ({ default: (await import('../campaigns/campaign-list.tsx')).CampaignList }))
const PackageList = lazy(async () => ({ default: (await import('../packages/package-list.tsx')).PackageList }))
const VersionMatrix = lazy(async () => ({ default: (await import('../versions/version-matrix.tsx')).VersionMatrix }))
const CampaignPage = lazy(async () => ({ default: (await import('../campaigns/campaign-page.tsx')).CampaignPage }))
const CampaignWizard = lazy(async () => ({
  default: (await import('../campaigns/campaign-wizard.tsx')).CampaignWizard,
}))

/** Firmware of the company's devices: three lists, and with `?id=` one campaign or the steps to a new one. */
export function FirmwarePage() {
  const id = useSearchParams()[0].get('id') ?? ''
  return (
    <Suspense fallback={<FrameSkeleton />}>
      {id === '' ? <Lists /> : id === NEW_CAMPAIGN ? <CampaignWizard /> : <CampaignPage key={id} id={id} />}
    </Suspense>
  )
}

const TABS = ['campaigns', 'packages', 'versions'] as const satisfies readonly FirmwareTab[]

function Lists() {
  const { t } = useTranslation('ota')
  const [tab, setTab] = useListTab(TABS)
  const tabs: ListTabs = {
    items: TABS.map(key => ({ key, label: t(`tabs.${key}`) })),
    active: tab,
    onChange: setTab,
  }
  if (tab === 'packages') return <PackageList tabs={tabs} />
  if (tab === 'versions') return <VersionMatrix tabs={tabs} />
  return <CampaignList tabs={tabs} />
}
