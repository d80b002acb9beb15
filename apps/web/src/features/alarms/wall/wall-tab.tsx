import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import { Button } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { AlarmShape } from '../../../ui/status-tag.tsx'
import { useNow } from '../../../ui/ticker.ts'
import css from '../alarms.module.css'
import { useAlarmCounts, useAlarmsLive } from '../hooks.ts'
import { useAcknowledge } from '../use-acknowledge.ts'
import { useAlarmParam } from '../use-alarm-param.ts'
import { lengthText, targetName } from '../words.ts'
import { allowSounds, playSound } from './sounds.ts'

const TILES = 60

/** Active alarms as large tiles for a screen on the wall, the gravest first, with the sound of their level. */
export function WallTab() {
  const { t } = useTranslation('alarms')
  const frame = useRef<HTMLDivElement>(null)
  const levels = useAlarmLevels()
  const now = useNow()
  const acknowledge = useAcknowledge()
  const mayAck = useMay('alarms.ack')
  const { hrefOf } = useAlarmParam()
  const [sound, setSound] = useState<'off' | 'on' | 'refused'>('off')
  const counts = useAlarmCounts()
  const read = useRead(
    'alarms.list',
    { query: { active: '1', shelved: '0', suppressed: '0', merged: '1', sort: '-level', limit: TILES } },
    { enabled: useMay('alarms.list'), keep: true },
  )
  const known = useRef(new Set<string>())
  useAlarmsLive(alarm => {
    const fresh =
      alarm.active && !alarm.acknowledged && !alarm.suppressed && !alarm.stormId && !known.current.has(alarm.id)
    known.current.add(alarm.id)
    // What was raised before this page was opened rings no more.
    if (fresh && sound === 'on' && alarm.count === 1)
      playSound(levels.find(each => each.level === alarm.level)?.sound ?? 'none')
  })
  const items = read.data?.items ?? []
  return (
    <div ref={frame} className={css.wall} data-testid="wall">
      <div className={css.wallHead}>
        <ul>
          {levels.map(({ level, name, color }) => (
            <li key={level}>
              <AlarmShape level={level} colour={color} />
              <span dir="auto">{name}</span>
              <b>{formatNumber(counts.data?.byLevel.find(each => each.level === level)?.active ?? 0)}</b>
            </li>
          ))}
        </ul>
        <span className={css.grow} />
        {sound === 'refused' && <span role="alert">{t('wall.noSound')}</span>}
        <Button
          aria-pressed={sound === 'on'}
          onClick={async () => {
            if (sound === 'on') return setSound('off')
            const allowed = await allowSounds()
            setSound(allowed ? 'on' : 'refused')
            if (allowed) playSound('chime')
          }}
        >
          {t(sound === 'on' ? 'wall.soundOff' : 'wall.soundOn')}
        </Button>
        <Button
          onClick={() =>
            void (document.fullscreenElement ? document.exitFullscreen() : frame.current?.requestFullscreen())
          }
        >
          {t('wall.fullScreen')}
        </Button>
      </div>
      {read.isError && !read.data ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : !read.data ? (
        <div className={css.tiles} aria-busy="true">
          {Array.from({ length: 6 }, (_, at) => (
            <div key={at} className={css.tileBone} />
          ))}
        </div>
      ) : items.length === 0 ? (
        <EmptyState title={t('wall.calm')} description={t('wall.calmText')} />
      ) : (
        <div className={css.tiles}>
          {items.map(alarm => (
            <Tile key={alarm.id} alarm={alarm} now={now} href={hrefOf(alarm)} colour={colourOf(levels, alarm)}>
              {mayAck && !alarm.acknowledged && <Button onClick={() => acknowledge([alarm.id])}>{t('act.ack')}</Button>}
            </Tile>
          ))}
        </div>
      )}
      {read.data?.nextCursor && <p className={css.quietWords}>{t('wall.more', { count: TILES })}</p>}
    </div>
  )
}

const colourOf = (levels: ReturnType<typeof useAlarmLevels>, alarm: AlarmView) =>
  levels.find(each => each.level === alarm.level)?.color ?? ''

function Tile({
  alarm,
  now,
  href,
  colour,
  children,
}: {
  alarm: AlarmView
  now: number
  href: string
  colour: string
  children: ReactNode
}) {
  const { t } = useTranslation('alarms')
  return (
    <article className={css.tile} style={{ borderLeftColor: colour }} data-acknowledged={alarm.acknowledged}>
      <header>
        <AlarmShape level={alarm.level} colour={colour} />
        <Link to={href} title={alarm.triggerName} dir="auto">
          {alarm.triggerName}
        </Link>
      </header>
      <p title={targetName(alarm)} dir="auto">
        {targetName(alarm)}
        {alarm.merged > 0 && ` · ${t('sameCause', { count: alarm.merged, text: formatNumber(alarm.merged) })}`}
      </p>
      <footer>
        <span>{lengthText(alarm, now)}</span>
        <span>{t(alarm.acknowledged ? 'acknowledged' : 'unacknowledged')}</span>
        <span className={css.grow} />
        {children}
      </footer>
    </article>
  )
}
