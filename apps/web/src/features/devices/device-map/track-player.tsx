import { Button, Select, Slider, Spin } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useMade } from '../../../lib/server-state/use-read.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { ErrorState } from '../../../ui/states.tsx'
import { RangePicker } from '../history/range-picker.tsx'
import { useDeviceModel } from '../hooks.ts'
import css from './device-map.module.css'
import { type TrackPoint, trackOf } from './track.ts'

const DAY_MS = 86_400_000
const SPEEDS = [1, 2, 5, 10, 30, 60]
const TICK_MS = 100
/** Reports are read in pages; more than these are not drawn. */
const PAGE = 10_000
const PAGES = 3

/** What the map draws of a track. */
export interface ShownTrack {
  points: readonly TrackPoint[]
  /** The moment that is shown, epoch ms. */
  now: number
}

/** Plays where a device was: a span of time, play and pause, how fast, and a slider over it. */
export function TrackPlayer({
  device,
  onShow,
  onClose,
}: {
  device: { id: string; name: string }
  /** Called with what there is to draw, each time it changes; null: nothing. */
  onShow: (track: ShownTrack | null) => void
  onClose: () => void
}) {
  const { t } = useTranslation('device-map')
  const english = locale() === 'en'
  const [range, setRange] = useState(() => ({ from: serverNow() - DAY_MS, to: serverNow() }))
  const [speed, setSpeed] = useState(60)
  const [playing, setPlaying] = useState(false)
  const [moment, setMoment] = useState<number | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const { model, error: modelError, refetch: readModel } = useDeviceModel(device)
  const positions = (model?.properties ?? []).filter(({ dataType }) => dataType.type === 'geo')
  const identifier = asked ?? positions[0]?.identifier
  const input = {
    params: { id: device.id },
    query: { identifier: identifier ?? '', from: Math.round(range.from), to: Math.round(range.to), limit: PAGE },
  }
  const read = useMade(
    'telemetry.raw',
    input,
    async ({ signal }) => {
      const rows: unknown[][] = []
      let cursor: string | null = null
      for (let page = 0; page < PAGES && (page === 0 || cursor !== null); page++) {
        const query = { ...input.query, ...(cursor === null ? {} : { cursor }) }
        const answer: { items: unknown[][]; nextCursor: string | null } = await call('telemetry.raw', {
          params: input.params,
          query,
          signal,
        })
        rows.push(...answer.items)
        cursor = answer.nextCursor
      }
      return { points: trackOf(rows), more: cursor !== null }
    },
    { enabled: identifier !== undefined, staleTime: 60_000 },
  )
  const points = useMemo(() => read.data?.points ?? [], [read.data])
  const [first, last] = [points[0]?.ts ?? 0, points.at(-1)?.ts ?? 0]
  const now = Math.min(last, Math.max(first, moment ?? first))
  useEffect(() => {
    if (!playing) return
    let before = performance.now()
    const timer = setInterval(() => {
      const passed = performance.now() - before
      before += passed
      setMoment(at => Math.min(last, (at ?? first) + passed * speed))
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [playing, speed, first, last])
  useEffect(() => {
    if (now >= last) setPlaying(false)
  }, [now, last])
  const show = useRef(onShow)
  show.current = onShow
  useEffect(() => show.current(points.length > 0 ? { points, now } : null), [points, now])
  useEffect(() => () => show.current(null), [])
  const begin = (change: () => void) => {
    setPlaying(false)
    setMoment(null)
    change()
  }
  return (
    <section className={css.track} aria-label={t('trackOf', { name: device.name })}>
      <div className={css.trackRow}>
        <strong className={css.grow}>{t('trackOf', { name: device.name })}</strong>
        {positions.length > 1 && (
          <Select
            aria-label={t('trackProperty')}
            value={identifier ?? null}
            options={positions.map(property => ({ value: property.identifier, label: nameOf(property, english) }))}
            onChange={next => begin(() => setAsked(next))}
          />
        )}
        <RangePicker {...range} onChange={(from, to) => begin(() => setRange({ from, to }))} />
        <Button onClick={onClose}>{t('trackClose')}</Button>
      </div>
      {model === null && modelError !== null && <ErrorState error={modelError} onRetry={() => void readModel()} />}
      {model !== null && positions.length === 0 && <p className={css.muted}>{t('noGeo')}</p>}
      {read.isError && <ErrorState error={read.error} onRetry={() => void read.refetch()} />}
      {identifier !== undefined && read.isPending && <Spin />}
      {read.data && points.length === 0 && <p className={css.muted}>{t('noTrack')}</p>}
      {points.length > 0 && (
        <div className={css.trackRow}>
          <Button
            type="primary"
            onClick={() => {
              if (!playing && now >= last) setMoment(first)
              setPlaying(!playing && last > first)
            }}
          >
            {t(playing ? 'pause' : 'play')}
          </Button>
          <Select
            aria-label={t('speed')}
            value={speed}
            options={SPEEDS.map(value => ({ value, label: `${value}×` }))}
            onChange={setSpeed}
          />
          <Slider
            className={css.grow ?? ''}
            ariaLabelForHandle={t('trackTime')}
            min={first}
            max={Math.max(last, first + 1)}
            step={Math.max(1000, Math.round((last - first) / 500))}
            value={now}
            tooltip={{ formatter: value => formatDateTime(value ?? first) }}
            onChange={value => setMoment(value)}
          />
          <span>{formatDateTime(now)}</span>
          <small className={css.muted}>
            {t('trackPoints', { count: points.length, text: formatNumber(points.length) })}
            {read.data?.more && ` ${t('trackMore')}`}
          </small>
        </div>
      )}
    </section>
  )
}
