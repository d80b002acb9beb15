import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { OtaCampaignView, OtaJobView } from '@thingwright/contracts/ota.contract'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { BatchAction, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import type { Crumb } from '../../../ui/page-header.tsx'
import { deviceAddress } from '../addresses.ts'
import { useWithParam } from '../components/use-with-param.ts'
import { fetchJobsOf, isLiveCampaign, jobsLive, LIVE_MS } from '../hooks.ts'
import type { ListTabs } from '../list-tabs.ts'
import { JOB_STATES, jobActionsOf } from '../words.ts'
import { jobColumns } from './job-columns.tsx'
import type { JobsAsk } from './job-dialogs.tsx'

const JobDrawer = lazy(async () => ({ default: (await import('./job-drawer.tsx')).JobDrawer }))
const JobsDialog = lazy(async () => ({ default: (await import('./job-dialogs.tsx')).JobsDialog }))

const keyOf = (row: OtaJobView) => row.id
const BATCH = ['confirm', 'reject', 'retry', 'refresh', 'cancel'] as const

/** The devices of a campaign, each with where it is; moves while one looks. */
export function JobList({
  campaign,
  head,
  summary,
  tabs,
}: {
  campaign: OtaCampaignView
  head: { title: string; crumbs: Crumb[]; description: ReactNode; actions: ReactNode }
  summary: ReactNode
  tabs: ListTabs
}) {
  const { t } = useTranslation('ota')
  const { id } = campaign
  const [params, setParams] = useSearchParams()
  const mayDeploy = useMay('otaJobs.batch')
  const [asking, setAsking] = useState<JobsAsk | null>(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: JOB_STATES.map(value => ({ value, label: t(`jobState.${value}`) })),
      },
      { key: 'open', label: t('openJobs'), options: [{ value: '1', label: t('openOnly') }] },
    ],
    [t],
  )
  const state = useListState(filters)
  const fetchPage = useMemo(() => fetchJobsOf(id), [id])
  const withJob = useWithParam('job')
  const rowHref = useCallback((row: OtaJobView) => withJob(row.id), [withJob])
  const columns = useMemo(() => jobColumns(t, rowHref), [t, rowHref])
  const running = isLiveCampaign(campaign)
  const refreshMs = useCallback(
    (rows: readonly OtaJobView[]) => (running ? jobsLive(rows) || LIVE_MS * 3 : jobsLive(rows)),
    [running],
  )
  const rowActions = useCallback(
    (row: OtaJobView): RowAction[] => [
      { key: 'line', label: t('timeLine'), to: withJob(row.id) },
      ...(mayDeploy
        ? jobActionsOf(row.state).map(action => ({
            key: action,
            label: t(`job.${action}.action`),
            danger: action === 'cancel' || action === 'reject',
            onClick: () => setAsking({ action, ids: [row.id], count: 1, name: row.deviceName || row.deviceNo }),
          }))
        : []),
      { key: 'device', label: t('openDevice'), to: deviceAddress(row.deviceId) },
    ],
    [t, withJob, mayDeploy],
  )
  const batchActions = useMemo<BatchAction<OtaJobView>[]>(
    () =>
      BATCH.map(action => ({
        key: action,
        label: t(`job.${action}.action`),
        danger: action === 'cancel' || action === 'reject',
        of: 'otaJobs.batch',
        onClick: (rows, all) =>
          setAsking(
            all
              ? { action, filter: { campaignId: id, ...all.filters, ...(all.q ? { q: all.q } : {}) }, count: all.count }
              : { action, ids: rows.map(keyOf), count: rows.length },
          ),
      })),
    [t, id],
  )
  const shown = params.get('job') ?? ''
  const closeLine = () =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        next.delete('job')
        return next
      },
      { preventScrollReset: true },
    )
  return (
    <>
      <ListPage
        id="ota-jobs"
        operation="otaJobs.list"
        about={id}
        fetchPage={fetchPage}
        refreshMs={refreshMs}
        rowKey={keyOf}
        rowHref={rowHref}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchJobs')}
        {...head}
        summary={summary}
        tabs={tabs}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 208 : 184}
        batchActions={batchActions}
        selectAll
        empty={{
          title: t('noJobs'),
          description: t(campaign.method === 'dynamic' ? 'noJobsDynamic' : 'noJobsText'),
        }}
        exportName="ota-jobs"
        exportPath={API_PATHS['otaJobs.export'][1]}
        exportFilters={chosen => ({ ...chosen, campaignId: id })}
      />
      <Suspense>
        {shown !== '' && (
          <JobDrawer
            key={shown}
            id={shown}
            onAsk={(action, job) =>
              setAsking({ action, ids: [job.id], count: 1, name: job.deviceName || job.deviceNo })
            }
            onClose={closeLine}
          />
        )}
        {asking && <JobsDialog ask={asking} onClose={() => setAsking(null)} />}
      </Suspense>
    </>
  )
}
