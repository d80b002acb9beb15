import type { FleetFacts } from '@thingwright/contracts/statistics.contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { HomeCardFrame } from '../../../ui/home-card/home-card.tsx'
import { useFacts } from '../hooks.ts'
import { Spark } from '../spark.tsx'
import css from '../statistics.module.css'

/** Of the state in which nothing is known yet: as high as the tiles that come. */
const HEIGHT = 64

/** The figures that one looks for first, each beside yesterday. */
export function FactsCard() {
  const { t } = useTranslation('statistics')
  const read = useFacts()
  return (
    <HomeCardFrame title={t('facts.title')} of="statistics.facts" read={read} height={HEIGHT} bare>
      {facts => <FactRow facts={facts} />}
    </HomeCardFrame>
  )
}

function FactRow({ facts }: { facts: FleetFacts }) {
  const { t } = useTranslation('statistics')
  const { takenAt, devices, online, messages, created, lost, commandsOk, commandsFailed, recent } = facts
  // Before the first look at the devices nothing is known, which is not zero.
  const figure = (value: number) => (takenAt === null ? '–' : formatNumber(value))
  const share = devices.value > 0 ? `${percent(online.value, devices.value)}%` : undefined
  const ended = commandsOk.value + commandsFailed.value
  const endedBefore = (commandsOk.before ?? 0) + (commandsFailed.before ?? 0)
  const success = ended > 0 ? percent(commandsOk.value, ended) : null
  const successBefore = endedBefore > 0 ? percent(commandsOk.before ?? 0, endedBefore) : null
  return (
    <div className={css.facts}>
      <Fact
        name={t('facts.devices')}
        to="/manage/device"
        value={figure(devices.value)}
        spark={recent.devices}
        change={<Change value={devices.value} before={devices.before} words={t('facts.sinceYesterday')} />}
      />
      <Fact
        name={t('facts.online')}
        to="/manage/device?link=online"
        value={figure(online.value)}
        beside={share}
        spark={recent.online}
        change={<Change value={online.value} before={online.before} words={t('facts.sameTime')} worse="down" />}
      />
      <Fact
        name={t('facts.messages')}
        value={figure(messages.value)}
        spark={recent.messages}
        change={<Change value={messages.value} before={messages.before} words={t('facts.sameTime')} relative />}
      />
      <Fact
        name={t('facts.lost')}
        value={figure(lost.value)}
        beside={created.value > 0 ? t('facts.created', { count: created.value }) : undefined}
        spark={recent.lost}
        change={<Change value={lost.value} before={lost.before} words={t('facts.sameTime')} worse="up" />}
      />
      <Fact
        name={t('facts.commands')}
        value={success === null ? '–' : `${success}%`}
        spark={recent.commandsOk}
        change={
          success === null ? (
            <span>{t('facts.noCommands')}</span>
          ) : (
            <Change value={success} before={successBefore} words={t('facts.dayBefore')} worse="down" />
          )
        }
      />
    </div>
  )
}

const percent = (part: number, whole: number) => Number(((part / whole) * 100).toFixed(1))

function Fact({
  name,
  to,
  value,
  beside,
  spark,
  change,
}: {
  name: string
  to?: string
  value: string
  beside?: string | undefined
  spark: readonly number[]
  change: ReactNode
}) {
  const body = (
    <>
      <span className={css.factName}>{name}</span>
      <span className={css.factRow}>
        <span className={css.factValue}>
          {value}
          {beside && <small>{beside}</small>}
        </span>
        <Spark values={spark} />
      </span>
      <span className={css.factChange}>{change}</span>
    </>
  )
  return to ? (
    <Link className={css.fact} to={to}>
      {body}
    </Link>
  ) : (
    <div className={css.fact}>{body}</div>
  )
}

/** How it was before: arrow, difference and against what; never by colour alone. */
function Change({
  value,
  before,
  words,
  worse,
  relative = false,
}: {
  value: number
  before: number | null
  words: string
  /** In which direction it is bad. */
  worse?: 'up' | 'down'
  relative?: boolean
}) {
  const { t } = useTranslation('statistics')
  if (before === null) return <span>{t('facts.nothingBefore')}</span>
  const difference = value - before
  if (difference === 0) return <span>{t('facts.same', { words })}</span>
  const isUp = difference > 0
  const isBad = worse === (isUp ? 'up' : 'down')
  const amount =
    relative && before > 0
      ? `${formatNumber(percent(Math.abs(difference), before))}%`
      : formatNumber(Number(Math.abs(difference).toFixed(1)))
  return (
    <span>
      <b data-bad={isBad} role="img" aria-label={t(isUp ? 'facts.up' : 'facts.down', { amount })}>
        {isUp ? '▲' : '▼'} {amount}
      </b>{' '}
      {words}
    </span>
  )
}
