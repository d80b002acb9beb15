import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useMay } from '../../../lib/permissions.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { MenuButton } from '../../../ui/popup/menu-button.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { listAddress, packageAddress } from '../addresses.ts'
import { CampaignState } from '../components/campaign-state.tsx'
import { useCampaign } from '../hooks.ts'
import css from '../ota.module.css'
import { actionsOf, type CampaignAction } from '../words.ts'
import { CampaignSummary } from './campaign-summary.tsx'
import own from './campaigns.module.css'

const JobList = lazy(async () => ({ default: (await import('../jobs/job-list.tsx')).JobList }))
const CampaignReport = lazy(async () => ({ default: (await import('./campaign-report.tsx')).CampaignReport }))
const CampaignPlan = lazy(async () => ({ default: (await import('./campaign-plan.tsx')).CampaignPlan }))
const CampaignDialog = lazy(async () => ({ default: (await import('./campaign-dialogs.tsx')).CampaignDialog }))
const EditCampaignDrawer = lazy(async () => ({ default: (await import('./edit-drawer.tsx')).EditCampaignDrawer }))

const TABS = ['jobs', 'report', 'plan'] as const

/** One campaign: how far it is, its devices, its report and how it goes about it. */
export function CampaignPage({ id }: { id: string }) {
  const { t } = useTranslation('ota')
  const [params, setParams] = useSearchParams()
  const [asking, setAsking] = useState<CampaignAction | 'edit' | null>(null)
  const mayDeploy = useMay('otaCampaigns.update')
  const query = useCampaign(id)
  const { data } = query
  if (query.error instanceof ApiError && !data) {
    if (query.error.status === 403) return <NoPermissionState of="otaCampaigns.get" />
    if (query.error.status === 404)
      return (
        <EmptyState
          title={t('campaignGone')}
          description={t('campaignGoneText')}
          action={<Link to={listAddress('campaigns')}>{t('backToCampaigns')}</Link>}
        />
      )
  }
  if (query.isError && !data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (!data) return <FrameSkeleton />
  const asked = params.get('tab')
  const tab = TABS.find(each => each === asked) ?? 'jobs'
  // Each tab has settings of its own.
  const open = (key: string) => setParams(key === 'jobs' ? { id } : { id, tab: key }, { preventScrollReset: true })
  const items = TABS.map(key => ({ key, label: t(`campaignTabs.${key}`) }))
  const actions = mayDeploy ? actionsOf(data) : []
  const first = actions[0]
  const editable = mayDeploy && data.state !== 'completed' && data.state !== 'cancelled'
  const head = {
    title: data.name,
    crumbs: [{ title: t('title'), to: listAddress('campaigns') }],
    description: (
      <>
        <Link to={packageAddress(data.packageId)}>
          {data.packageName} {data.version}
        </Link>
        {' · '}
        {data.productName}
        {data.module === 'default' ? '' : ` · ${data.module}`}
      </>
    ),
    actions: (
      <>
        <CampaignState of={data} />
        {first && (
          <Button
            type={first === 'resume' ? 'primary' : 'default'}
            danger={first === 'cancel'}
            onClick={() => setAsking(first)}
          >
            {t(`campaign.${first}.action`)}
          </Button>
        )}
        {(actions.length > 1 || editable) && (
          <MenuButton
            className={own.menuButton}
            items={[
              ...(editable ? [{ key: 'edit', label: t('editCampaign'), onSelect: () => setAsking('edit') }] : []),
              ...actions.slice(1).map(action => ({
                key: action,
                label: t(`campaign.${action}.action`),
                danger: action === 'cancel',
                onSelect: () => setAsking(action),
              })),
            ]}
          >
            {t('more')}
          </MenuButton>
        )}
      </>
    ),
  }
  const summary = (
    <CampaignSummary of={data} onState={state => setParams({ id, state }, { preventScrollReset: true })} />
  )
  return (
    <Suspense fallback={<FrameSkeleton />}>
      {tab === 'jobs' ? (
        <JobList campaign={data} head={head} summary={summary} tabs={{ items, active: tab, onChange: open }} />
      ) : (
        <>
          <PageHeader {...head} />
          {summary}
          <section className={css.card} aria-label={t(`campaignTabs.${tab}`)}>
            <TabBar label={data.name} items={items} active={tab} onChange={open} />
            <Suspense fallback={<div className={css.fleetBone} />}>
              {tab === 'report' ? <CampaignReport campaign={data} /> : <CampaignPlan of={data} />}
            </Suspense>
          </section>
        </>
      )}
      {asking === 'edit' && <EditCampaignDrawer of={data} onClose={() => setAsking(null)} />}
      {asking !== null && asking !== 'edit' && (
        <CampaignDialog action={asking} of={data} onClose={() => setAsking(null)} />
      )}
    </Suspense>
  )
}
