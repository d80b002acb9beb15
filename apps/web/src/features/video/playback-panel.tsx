import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { PLAYBACK_SOURCES } from '@thingwright/contracts/video.words'
import { Button, Segmented, Spin } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatClock, formatDate } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Player } from './player/player.tsx'
import type { AskStream } from './player/use-stream.ts'
import { type Recording, TimeLine } from './time-line.tsx'
import css from './video.module.css'

type Source = (typeof PLAYBACK_SOURCES)[number]

/** The day that begins so many days before today, in the browser's zone. */
function dayBefore(days: number): { from: number; to: number } {
  const begin = new Date()
  begin.setHours(0, 0, 0, 0)
  begin.setDate(begin.getDate() - days)
  const end = new Date(begin)
  end.setDate(end.getDate() + 1)
  // A day on which the clocks are put back is longer than a question may be.
  return { from: begin.getTime(), to: Math.min(end.getTime(), begin.getTime() + 86_400_000) }
}

/** What was recorded on a day: a time line shows it, and a moment on it is played. */
export function PlaybackPanel({ channel, onCode }: { channel: VideoChannelView; onCode: (() => void) | undefined }) {
  const { t } = useTranslation('video')
  const { id } = channel
  const [source, setSource] = useState<Source>('local')
  const [daysAgo, setDaysAgo] = useState(0)
  const [played, setPlayed] = useState<Recording | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const day = useMemo(() => dayBefore(daysAgo), [daysAgo])
  const read = useRead(
    'videoChannels.recordings',
    {
      params: { id },
      query: { from: new Date(day.from).toISOString(), to: new Date(day.to).toISOString(), source },
    },
    { staleTime: 60_000, retry: false },
  )
  const recordings = useMemo<Recording[]>(
    () => (read.data?.items ?? []).map(one => ({ from: Date.parse(one.from), to: Date.parse(one.to) })),
    [read.data],
  )
  const forget = () => {
    setPlayed(null)
    setAt(null)
  }
  /** Plays from a moment on; where nothing was recorded, from the next moment that was. */
  const choose = useCallback(
    (moment: number) => {
      const next = recordings.find(one => one.to > moment)
      if (!next) return
      const from = Math.max(moment, next.from)
      setPlayed({ from, to: next.to })
      setAt(from)
    },
    [recordings],
  )
  const ask = useCallback<AskStream>(
    signal =>
      call('videoChannels.playback', {
        params: { id },
        body: { from: new Date(played!.from).toISOString(), to: new Date(played!.to).toISOString(), source },
        signal,
      }),
    [id, played, source],
  )
  const idle = read.isPending ? (
    <Spin />
  ) : read.isError ? (
    <>
      <span role="alert">{errorFacts(read.error).message}</span>
      <Button size="small" onClick={() => void read.refetch()}>
        {t('player.retry')}
      </Button>
    </>
  ) : (
    t(recordings.length === 0 ? 'playback.none' : 'playback.choose')
  )
  return (
    <div className={css.stackSmall}>
      <Player
        key={`${source}/${played?.from ?? ''}`}
        ask={played && ask}
        live={false}
        label={t('playback.of', { name: channel.name })}
        idle={idle}
        onCode={onCode}
        onTime={seconds => played && setAt(Math.min(played.to, played.from + seconds * 1_000))}
        onEnded={() => played && choose(played.to)}
      />
      <div className={css.between}>
        <div className={css.row}>
          <Button
            aria-label={t('playback.dayBefore')}
            icon={<LeftOutlined aria-hidden />}
            onClick={() => {
              setDaysAgo(daysAgo + 1)
              forget()
            }}
          />
          <strong className={css.day}>{formatDate(day.from)}</strong>
          <Button
            aria-label={t('playback.dayAfter')}
            icon={<RightOutlined aria-hidden />}
            disabled={daysAgo === 0}
            onClick={() => {
              setDaysAgo(daysAgo - 1)
              forget()
            }}
          />
          {at !== null && <span className={css.clock}>{formatClock(at)}</span>}
        </div>
        <Segmented
          aria-label={t('playback.source')}
          value={source}
          options={PLAYBACK_SOURCES.map(value => ({ value, label: t(`playback.sources.${value}`) }))}
          onChange={next => {
            setSource(next)
            forget()
          }}
        />
      </div>
      <TimeLine from={day.from} to={day.to} recordings={recordings} at={at} onChoose={choose} />
    </div>
  )
}
