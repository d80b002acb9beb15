import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../../lib/format.ts'
import css from './video.module.css'

export interface Recording {
  /** Epoch ms. */
  from: number
  to: number
}

const MINUTE_MS = 60_000
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21, 24]
const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -60,
  PageUp: 60,
}

/** A day with what was recorded in it; a click or the keys choose a moment. */
export function TimeLine({
  from,
  to,
  recordings,
  at,
  onChoose,
}: {
  from: number
  to: number
  recordings: readonly Recording[]
  /** The moment that is played or chosen. */
  at: number | null
  onChoose: (at: number) => void
}) {
  const { t } = useTranslation('video')
  const strip = useRef<HTMLDivElement>(null)
  const share = (moment: number) => `${(((moment - from) / (to - from)) * 100).toFixed(3)}%`
  const within = (moment: number) => Math.min(to - 1_000, Math.max(from, moment))
  const point = (event: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect()
    if (!box || box.width === 0) return
    onChoose(within(from + ((event.clientX - box.left) / box.width) * (to - from)))
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'Home' ? -1_440 : event.key === 'End' ? 1_440 : STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onChoose(within((at ?? from) + step * MINUTE_MS))
  }
  const now = at ?? from
  return (
    <div className={css.timeLine}>
      <div
        ref={strip}
        className={css.strip}
        role="slider"
        tabIndex={0}
        aria-label={t('playback.moment')}
        aria-valuemin={0}
        aria-valuemax={1440}
        aria-valuenow={Math.round((now - from) / MINUTE_MS)}
        aria-valuetext={formatClock(now)}
        onPointerDown={point}
        onKeyDown={press}
      >
        {recordings.map(one => (
          <span
            key={one.from}
            className={css.recorded}
            style={{ insetInlineStart: share(one.from), width: `calc(${share(from + one.to - one.from)})` }}
            title={`${formatClock(one.from)} – ${formatClock(one.to)}`}
          />
        ))}
        {at !== null && <span className={css.cursor} style={{ insetInlineStart: share(at) }} />}
      </div>
      <div className={css.hours} aria-hidden>
        {HOURS.map(hour => (
          <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>
            {`${String(hour).padStart(2, '0')}:00`}
          </span>
        ))}
      </div>
    </div>
  )
}
