import type { OtaJobState } from '@thingwright/contracts/firmware-schemas'
import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { StatusDot } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { reasonText } from '../components/campaign-state.tsx'
import { ShareBar } from '../components/share-bar.tsx'
import { JOB_STATES, percentDone, sharesOf, signOfJob } from '../words.ts'
import css from './campaigns.module.css'

/** How far a campaign is, while it runs: one bar, and the devices in each state as buttons that filter the list. */
export function CampaignSummary({ of, onState }: { of: OtaCampaignView; onState: (state: OtaJobState) => void }) {
  const { t } = useTranslation('ota')
  const shares = sharesOf(of.counts)
  const reason = reasonText(t, of.stateReason)
  const shown = JOB_STATES.filter(state => (of.counts[state] ?? 0) > 0)
  return (
    <section className={css.summary} aria-label={t('progress')} data-testid="campaign-summary" data-state={of.state}>
      {of.state === 'stopped' && <Alert type="error" showIcon role="alert" title={stoppedText(of, reason, t)} />}
      {of.state === 'paused' && (
        <Alert
          type="warning"
          showIcon
          title={of.stateReason === 'by_person' || reason === '' ? t('pausedTitle') : `${reason} · ${t('pausedTitle')}`}
        />
      )}
      {of.state === 'scheduled' && of.startAt && (
        <Alert type="info" showIcon title={t('scheduledTitle', { time: formatDateTime(of.startAt) })} />
      )}
      {(of.counts.to_confirm ?? 0) > 0 && of.state === 'running' && (
        <Alert type="info" showIcon title={t('confirmTitle', { count: of.counts.to_confirm ?? 0 })} />
      )}
      <div className={css.summaryTop}>
        <strong className={css.percentBig}>
          {percentDone(of.total, shares)}
          <small> %</small>
        </strong>
        <div className={css.summaryBar}>
          <ShareBar wide counts={of.counts} total={of.total} />
          <span className={css.summaryLine} role="status">
            {t('doneOf', { ok: formatNumber(shares.ok), total: formatNumber(of.total) })}
          </span>
        </div>
        <dl className={css.keyFacts}>
          <div>
            <dt>{t('failureRate')}</dt>
            <dd data-bad={(of.failurePercent ?? 0) > 0}>
              {of.failurePercent === null ? '–' : `${formatNumber(Math.round(of.failurePercent * 10) / 10)} %`}
            </dd>
          </div>
          <div>
            <dt>{t('ratePerMinute')}</dt>
            <dd>{of.delivery === 'pull' ? '–' : formatNumber(Math.round(of.ratePerMinute))}</dd>
          </div>
          <div>
            <dt>{of.endedAt ? t('endedAt') : t('startedAt')}</dt>
            <dd>
              <TimeText value={of.endedAt ?? of.startedAt} />
            </dd>
          </div>
        </dl>
      </div>
      {shown.length > 0 && (
        <ul className={css.chips}>
          {shown.map(state => (
            <li key={state}>
              <button type="button" className={css.chip} onClick={() => onState(state)}>
                <StatusDot kind={signOfJob(state)} />
                {t(`jobState.${state}`)}
                <b>{formatNumber(of.counts[state] ?? 0)}</b>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function stoppedText(
  of: OtaCampaignView,
  reason: string,
  t: (key: string, params?: Record<string, unknown>) => string,
) {
  if (of.stateReason !== 'failure_rate' || !of.autoStop)
    return reason === '' ? t('stoppedTitle') : `${t('stoppedTitle')} · ${reason}`
  return t('stoppedText', {
    percent: formatNumber(Math.round((of.failurePercent ?? 0) * 10) / 10),
    limit: formatNumber(of.autoStop.failurePercent),
  })
}
