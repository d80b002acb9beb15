import type { OtaJobView } from '@thingwright/contracts/ota.contract'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { DeviceTabProps } from '../../../lib/device-tabs.ts'
import { every } from '../../../lib/every.ts'
import { useMay } from '../../../lib/permissions.ts'
import { usePages } from '../../../lib/server-state/use-pages.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { campaignAddress, newCampaignAddress, packageAddress } from '../addresses.ts'
import { JobState, jobWords } from '../components/job-state.tsx'
import { VersionText } from '../components/version-text.tsx'
import { LIVE_MS } from '../hooks.ts'
import type { JobAction } from '../jobs/job-dialogs.tsx'
import { TimeLine } from '../jobs/time-line.tsx'
import css from '../ota.module.css'
import { isJobOpen, jobActionsOf } from '../words.ts'

const JobsDialog = lazy(async () => ({ default: (await import('../jobs/job-dialogs.tsx')).JobsDialog }))

/** What one device runs, what is on its way to it, and everything that was said about its firmware. */
export function DeviceFirmwareTab({ deviceId }: DeviceTabProps) {
  const { t } = useTranslation('ota')
  const navigate = useNavigate()
  const mayDeploy = useMay('otaJobs.batch')
  const [asking, setAsking] = useState<{ action: JobAction; job: OtaJobView } | null>(null)
  const query = usePages(
    'otaJobs.device',
    { params: { id: deviceId }, query: { limit: 50 } },
    {
      refetchInterval: query =>
        every(query.state.data?.pages[0]?.jobs.some(job => isJobOpen(job.state)) ? LIVE_MS : LIVE_MS * 5)(query),
    },
  )
  const columns = useMemo(() => jobColumns(t), [t])
  const first = query.data?.pages[0]
  if (query.isError && !first) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (!first) return <Skeleton active />
  const events = query.data?.pages.flatMap(page => page.events) ?? []
  const rowActions = (job: OtaJobView): RowAction[] => [
    { key: 'line', label: t('timeLine'), to: campaignAddress(job.campaignId, { job: job.id }) },
    ...(mayDeploy
      ? jobActionsOf(job.state).map(action => ({
          key: action,
          label: t(`job.${action}.action`),
          danger: action === 'cancel' || action === 'reject',
          onClick: () => setAsking({ action, job }),
        }))
      : []),
  ]
  return (
    <Stack>
      <Panel
        title={t('deviceTab.modules')}
        hint={t('deviceTab.modulesHint')}
        flush
        actions={
          mayDeploy && (
            <Button type="primary" onClick={() => void navigate(newCampaignAddress({ device: deviceId }))}>
              {t('deviceTab.upgrade')}
            </Button>
          )
        }
      >
        {first.modules.length === 0 ? (
          <EmptyState title={t('deviceTab.noModules')} description={t('deviceTab.noModulesText')} />
        ) : (
          <ul className={css.modules} data-testid="device-modules">
            {first.modules.map(each => (
              <li key={each.module}>
                <code className={css.moduleName}>{each.module}</code>
                <span className={css.moduleVersion}>
                  {each.packageId ? (
                    <Link to={packageAddress(each.packageId)}>
                      <VersionText version={each.version} />
                    </Link>
                  ) : (
                    <VersionText version={each.version} />
                  )}
                </span>
                <span className={css.muted}>
                  {each.previousVersion !== null && (
                    <>
                      {t('deviceTab.before')} <code>{each.previousVersion}</code> ·{' '}
                    </>
                  )}
                  {t('deviceTab.since')} <TimeText value={each.changedAt} /> · {t('deviceTab.said')}{' '}
                  <TimeText value={each.reportedAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title={t('deviceTab.jobs')} flush>
        {first.jobs.length === 0 ? (
          <p className={css.padded}>{t('deviceTab.noJobs')}</p>
        ) : (
          <DataTable
            label={t('deviceTab.jobs')}
            columns={columns}
            rows={first.jobs}
            rowKey={job => job.id}
            actions={rowActions}
            actionsWidth={200}
          />
        )}
      </Panel>
      <Panel title={t('timeLine')} hint={t('deviceTab.timeLineHint')}>
        <TimeLine events={events} withModule />
        {query.hasNextPage && (
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('loadMore')}
          </Button>
        )}
      </Panel>
      <Suspense>
        {asking && (
          <JobsDialog
            ask={{
              action: asking.action,
              ids: [asking.job.id],
              count: 1,
              name: asking.job.deviceName || asking.job.deviceNo,
            }}
            onClose={() => setAsking(null)}
          />
        )}
      </Suspense>
    </Stack>
  )
}

function jobColumns(t: ReturnType<typeof useTranslation<'ota'>>['t']): ListColumn<OtaJobView>[] {
  return [
    {
      key: 'campaign',
      title: t('campaignOf'),
      minWidth: 180,
      render: job => (
        <Link to={campaignAddress(job.campaignId)} title={job.campaignName} dir="auto">
          {job.campaignName}
        </Link>
      ),
    },
    {
      key: 'versions',
      title: t('versionFromTo'),
      width: 184,
      rank: 2,
      render: job => <VersionText from={job.fromVersion} version={job.toVersion} />,
    },
    { key: 'state', title: t('state'), width: 192, render: job => <JobState of={job} /> },
    {
      key: 'note',
      title: t('note'),
      minWidth: 160,
      rank: 1,
      render: job => {
        const words = jobWords(t, job)
        return (
          <span title={words} dir="auto">
            {words || '–'}
          </span>
        )
      },
    },
    { key: 'at', title: t('changedAt'), width: 116, render: job => <TimeText value={job.changedAt} /> },
  ]
}
