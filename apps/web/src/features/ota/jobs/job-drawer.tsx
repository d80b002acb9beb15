import type { OtaJobView } from '@thingwright/contracts/ota.contract'
import { Alert, Button, Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useMay } from '../../../lib/permissions.ts'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { campaignAddress, deviceAddress } from '../addresses.ts'
import { JobState, jobWords } from '../components/job-state.tsx'
import { VersionText } from '../components/version-text.tsx'
import { useJob } from '../hooks.ts'
import css from '../ota.module.css'
import { PathSteps } from '../packages/path-finder.tsx'
import { isJobOpen, jobActionsOf, shareOf } from '../words.ts'
import type { JobAction } from './job-dialogs.tsx'
import { Phases } from './phases.tsx'
import { TimeLine } from './time-line.tsx'

/** One device's update: where it is, what ends the phase, and every message of it. */
export function JobDrawer({
  id,
  onAsk,
  onClose,
}: {
  id: string
  onAsk: (action: JobAction, job: OtaJobView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('ota')
  const mayDeploy = useMay('otaJobs.batch')
  const query = useJob(id)
  const job = query.data?.job
  const words = job ? jobWords(t, job) : ''
  return (
    <Drawer
      open
      size={720}
      title={job ? job.deviceName || job.deviceNo : t('timeLine')}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          {mayDeploy &&
            job &&
            jobActionsOf(job.state).map(action => (
              <Button
                key={action}
                danger={action === 'cancel' || action === 'reject'}
                onClick={() => onAsk(action, job)}
              >
                {t(`job.${action}.action`)}
              </Button>
            ))}
          <Button type="primary" onClick={onClose}>
            {t('close')}
          </Button>
        </div>
      }
    >
      {query.isError && !job ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !job ? (
        <Skeleton active />
      ) : (
        <div className={css.stack}>
          <Phases job={job} />
          {words !== '' && <Alert type={shareOf(job.state) === 'bad' ? 'error' : 'info'} showIcon title={words} />}
          <Facts
            items={[
              { label: t('state'), value: <JobState of={job} /> },
              { label: t('versionFromTo'), value: <VersionText from={job.fromVersion} version={job.toVersion} /> },
              { label: t('attempt'), value: job.attempt === 0 ? '–' : job.attempt },
              {
                label: t('device'),
                value: (
                  <Link to={deviceAddress(job.deviceId)} title={job.deviceName}>
                    {job.deviceNo}
                  </Link>
                ),
              },
              { label: t('module'), value: <code className={css.code}>{job.module}</code> },
              {
                label: t('campaignOf'),
                value: (
                  <Link to={campaignAddress(job.campaignId)} dir="auto">
                    {job.campaignName}
                  </Link>
                ),
              },
              { label: t('notifiedAt'), value: <TimeText value={job.notifiedAt} mode="absolute" /> },
              ...(isJobOpen(job.state)
                ? [
                    { label: t('dueAt'), value: <TimeText value={job.dueAt} mode="absolute" /> },
                    { label: t('nextAt'), value: <TimeText value={job.nextAt} mode="absolute" /> },
                  ]
                : [{ label: t('endedAt'), value: <TimeText value={job.finishedAt} mode="absolute" /> }]),
            ]}
          />
          {job.steps.length > 1 && (
            <PathSteps
              path={{
                fromVersion: job.fromVersion,
                steps: job.steps,
                totalBytes: job.steps.reduce((sum, step) => sum + step.size, 0),
              }}
            />
          )}
          <section>
            <h3 className={css.heading}>{t('timeLine')}</h3>
            <TimeLine events={query.data?.events ?? []} />
          </section>
        </div>
      )}
    </Drawer>
  )
}
