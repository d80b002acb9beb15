import { Segmented } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDuration, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { alarmsOfDevice, triggerAddress } from '../addresses.ts'
import css from '../alarms.module.css'

const DAYS = [1, 7, 30, 90] as const
const DAY = 86_400_000

/** Figures of a stretch of time: how many, how quickly they were seen and over, which devices and triggers raise most. */
export function StatisticsTab() {
  const { t } = useTranslation('alarms')
  const [days, setDays] = useState<number>(30)
  const levels = useAlarmLevels()
  // The same question for as long as the page shows it.
  const from = useMemo(() => serverNow() - days * DAY, [days])
  const read = useRead(
    'alarms.statistics',
    { query: { from, zone: Intl.DateTimeFormat().resolvedOptions().timeZone } },
    { enabled: useMay('alarms.statistics'), keep: true },
  )
  if (read.isError && !read.data) return <ErrorState error={read.error} onRetry={() => void read.refetch()} />
  const { data } = read
  if (!data) return <FrameSkeleton />
  return (
    <div className={css.stack} data-testid="alarm-statistics">
      <Segmented
        aria-label={t('span')}
        value={days}
        options={DAYS.map(value => ({ value, label: t('lastDays', { count: value }) }))}
        onChange={setDays}
      />
      <dl className={css.figures}>
        {(
          [
            ['total', formatNumber(data.total)],
            ['activeNow', formatNumber(data.active)],
            ['unackNow', formatNumber(data.unacknowledged)],
            ['mtta', data.mttaMs === null ? '–' : formatDuration(data.mttaMs)],
            ['mttr', data.mttrMs === null ? '–' : formatDuration(data.mttrMs)],
          ] as const
        ).map(([key, value]) => (
          <div key={key}>
            <dt title={t(`figureHelp.${key}`)}>{t(`figure.${key}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div className={css.twoPanels}>
        <Panel title={t('byLevel')}>
          <Bars
            rows={levels.map(({ level, name, color }) => ({
              key: String(level),
              name,
              count: data.byLevel.find(each => each.level === level)?.total ?? 0,
              colour: color,
            }))}
          />
        </Panel>
        <Panel title={t('byHour')} hint={t('byHourHint')}>
          <Columns
            label={t('byHour')}
            values={data.byHour.map((count, hour) => ({ name: `${String(hour).padStart(2, '0')}:00`, count }))}
          />
        </Panel>
        <Panel title={t('byDay')}>
          <Columns label={t('byDay')} values={data.byDay.map(({ day, total }) => ({ name: day, count: total }))} />
        </Panel>
        <Panel title={t('topDevices')}>
          <Bars
            empty={t('nothing')}
            rows={data.topDevices.map(each => ({
              key: each.deviceId,
              name: (
                <Link to={alarmsOfDevice(each.deviceId)} title={each.deviceNo} dir="auto">
                  {each.name}
                </Link>
              ),
              count: each.total,
            }))}
          />
        </Panel>
        <Panel title={t('topTriggers')}>
          <Bars
            empty={t('nothing')}
            rows={data.topTriggers.map((each, at) => ({
              key: each.triggerId ?? String(at),
              name: each.triggerId ? (
                <Link to={triggerAddress(each.triggerId)} dir="auto">
                  {each.name}
                </Link>
              ) : (
                each.name
              ),
              count: each.total,
            }))}
          />
        </Panel>
      </div>
    </div>
  )
}

/** Names with a bar and a count, in the order given. */
function Bars({
  rows,
  empty,
}: {
  rows: readonly { key: string; name: ReactNode; count: number; colour?: string }[]
  empty?: string
}) {
  const most = Math.max(1, ...rows.map(row => row.count))
  if (rows.length === 0) return <p className={css.quietWords}>{empty}</p>
  return (
    <ul className={css.bars}>
      {rows.map(row => (
        <li key={row.key}>
          <span className={css.barName}>{row.name}</span>
          <span className={css.barTrack} aria-hidden="true">
            <span
              style={{ width: `${(row.count / most) * 100}%`, ...(row.colour ? { background: row.colour } : {}) }}
            />
          </span>
          <b>{formatNumber(row.count)}</b>
        </li>
      ))}
    </ul>
  )
}

/** Counts as columns; each says its name and count on hover, and all of them to those who cannot see them. */
function Columns({ label, values }: { label: string; values: readonly { name: string; count: number }[] }) {
  const most = Math.max(1, ...values.map(each => each.count))
  const step = Math.ceil(values.length / 8)
  return (
    <ol className={css.columns} aria-label={label}>
      {values.map(({ name, count }, at) => (
        <li key={name} title={`${name}  ${formatNumber(count)}`} aria-label={`${name} ${count}`}>
          <span style={{ height: `${(count / most) * 100}%` }} />
          <small aria-hidden="true">{at % step === 0 ? name.slice(-5) : ''}</small>
        </li>
      ))}
    </ol>
  )
}
