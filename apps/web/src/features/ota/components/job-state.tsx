import type { OtaJobView } from '@thingwright/contracts/ota.contract'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../ota.module.css'
import { shareOf, signOfJob } from '../words.ts'
import own from './components.module.css'

/** State of one device's update; while it downloads, how far it is. */
export function JobState({ of }: { of: Pick<OtaJobView, 'state' | 'percent'> }) {
  const { t } = useTranslation('ota')
  return (
    <span className={own.jobState}>
      <StatusTag kind={signOfJob(of.state)}>{t(`jobState.${of.state}`)}</StatusTag>
      {of.state === 'downloading' && (
        <>
          <span className={own.miniBar} aria-hidden="true">
            <span style={{ width: `${of.percent}%` }} />
          </span>
          <span className={css.muted}>{of.percent} %</span>
        </>
      )}
    </span>
  )
}

/** Codes of the platform itself, which have words; other codes are the device's own. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'no_response',
  'download_timeout',
  'install_timeout',
  'device_gone',
  'version_reverted',
  'version_unexpected',
  'failed_by_device',
  'rejected_by_device',
  'refused_by_person',
  'by_person',
  'campaign_ended',
  'package_disabled',
  'notice_cancelled',
  'already_there',
  'rolled_back',
  'delta_not_supported',
  'no_path',
  'device_unavailable',
  'interlocked',
  'late',
  'after_cancel',
])

/** The words of an error code; empty for none. */
export function errorWords(t: TFunction<'ota'>, code: string | null): string {
  if (code === null) return ''
  return OWN_CODES.has(code) ? t(`jobError.${code}`) : code
}

/** What is to be said about an update beside its state: why it waits, why it failed. */
export function jobWords(
  t: TFunction<'ota'>,
  job: Pick<OtaJobView, 'state' | 'waitingFor' | 'message' | 'errorCode' | 'nextAt'>,
): string {
  if (shareOf(job.state) === 'waiting' && job.waitingFor !== null) {
    const words = t(`wait.${job.waitingFor}`)
    return job.nextAt === null ? words : t('waitUntil', { words, time: formatDateTime(job.nextAt) })
  }
  return [errorWords(t, job.errorCode), job.message ?? ''].filter(Boolean).join(' · ')
}
