import type { OtaCampaignView, OtaReport } from '@thingwright/contracts/ota.contract'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatBytes, formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { saveFile, toCsv } from '../../../ui/list-page/csv.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { campaignAddress } from '../addresses.ts'
import { errorWords } from '../components/job-state.tsx'
import { VersionText } from '../components/version-text.tsx'
import { isLiveCampaign, LIVE_MS } from '../hooks.ts'
import css from '../ota.module.css'
import { signOfJob } from '../words.ts'
import own from './campaigns.module.css'
import { ReportChart } from './report-chart.tsx'

/** What became of a campaign: rates, times, errors, and where its devices came from. */
export function CampaignReport({ campaign }: { campaign: OtaCampaignView }) {
  const { t } = useTranslation('ota')
  const { id } = campaign
  const query = useRead(
    'otaCampaigns.report',
    { params: { id } },
    { refetchInterval: every(isLiveCampaign(campaign) ? LIVE_MS * 2 : false) },
  )
  const { data } = query
  if (query.isError && !data) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (!data) return <div className={css.fleetBone} />
  const time = (seconds: number | null) => (seconds === null ? '–' : formatDuration(seconds * 1000))
  const numbers = [
    ['success', data.successPercent === null ? '–' : `${formatNumber(Math.round(data.successPercent * 10) / 10)} %`],
    ['median', time(data.medianSeconds)],
    ['p95', time(data.p95Seconds)],
    ['retried', formatNumber(data.retried)],
    ['bytes', formatBytes(data.bytes)],
  ] as const
  return (
    <div className={own.report}>
      <dl className={own.numbers}>
        {numbers.map(([key, value]) => (
          <div key={key} title={t(`report.${key}Help`)}>
            <dt>{t(`report.${key}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <section>
        <div className={css.headRow}>
          <h3 className={css.heading}>{t('report.timeline')}</h3>
          <Button onClick={() => exportReport(data, t)}>{t('exportCsv')}</Button>
        </div>
        <ReportChart points={data.timeline} />
      </section>
      <div className={own.twoTables}>
        <section>
          <h3 className={css.heading}>{t('report.errors')}</h3>
          {data.errors.length === 0 ? (
            <p className={css.muted}>{t('report.noErrors')}</p>
          ) : (
            <table className={css.matrix}>
              <thead>
                <tr>
                  <th scope="col">{t('state')}</th>
                  <th scope="col">{t('errorCode')}</th>
                  <th scope="col" className={css.right}>
                    {t('devices')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.errors.map(row => (
                  <tr key={`${row.state} ${row.errorCode}`}>
                    <td>
                      <Link to={campaignAddress(id, { state: row.state })}>
                        <StatusTag kind={signOfJob(row.state)}>{t(`jobState.${row.state}`)}</StatusTag>
                      </Link>
                    </td>
                    <td title={row.errorCode ?? ''}>{errorWords(t, row.errorCode) || '–'}</td>
                    <td className={css.right}>{formatNumber(row.count)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section>
          <h3 className={css.heading}>{t('report.fromVersions')}</h3>
          <table className={css.matrix}>
            <thead>
              <tr>
                <th scope="col">{t('version')}</th>
                <th scope="col" className={css.right}>
                  {t('devices')}
                </th>
                <th scope="col" className={css.right}>
                  {t('share.ok')}
                </th>
                <th scope="col" className={css.right}>
                  {t('share.bad')}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.fromVersions.map(row => (
                <tr key={row.version ?? ''}>
                  <td>
                    <VersionText version={row.version} />
                  </td>
                  <td className={css.right}>{formatNumber(row.total)}</td>
                  <td className={css.right}>{formatNumber(row.succeeded)}</td>
                  <td className={css.right}>{formatNumber(row.failed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
    </div>
  )
}

/** The whole report as one table of sections. */
function exportReport(data: OtaReport, t: (key: string) => string): void {
  const text = toCsv(
    [t('report.section'), t('name'), t('value')],
    [
      ...Object.entries(data.campaign.counts).map(([state, count]) => [t('state'), t(`jobState.${state}`), count]),
      [t('report.success'), '%', data.successPercent],
      [t('report.median'), 's', data.medianSeconds],
      [t('report.p95'), 's', data.p95Seconds],
      [t('report.retried'), '', data.retried],
      [t('report.bytes'), 'B', data.bytes],
      ...data.errors.map(row => [
        t('report.errors'),
        `${t(`jobState.${row.state}`)} ${row.errorCode ?? ''}`,
        row.count,
      ]),
      ...data.fromVersions.map(row => [t('report.fromVersions'), row.version ?? t('versionUnknown'), row.total]),
      ...data.timeline.flatMap(point =>
        (['notified', 'succeeded', 'failed'] as const).map(key => [
          t(`report.${key}`),
          formatDateTime(point.at),
          point[key],
        ]),
      ),
    ],
  )
  saveFile(`${data.campaign.name}.csv`, [text], 'text/csv')
}
