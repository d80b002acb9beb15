import { useState } from 'react'
import css from './past-bar.module.css'
import { type Past, SPEEDS } from './use-past.ts'
import words from './words.json' with { type: 'json' }

const HOUR_MS = 3_600_000
/** How far the slider reaches back, in hours. */
const REACHES = [1, 24, 168, 744] as const
type Reach = (typeof REACHES)[number]
const SIGN = { play: '▶', pause: '❚❚' } as const

const two = (n: number) => String(n).padStart(2, '0')

/** A moment as the field for date and time writes it, in the zone of the browser. */
export function fieldOf(ts: number): string {
  const d = new Date(ts)
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`
}

/** Chooses the moment that a page is shown at: slider, field, play and speed, and the way back to the present. */
export function PastBar({ past, language, onClose }: { past: Past; language: 'zh' | 'en'; onClose(): void }) {
  const t = words[language].past
  const [reach, setReach] = useState<Reach>(24)
  // The end of the slider stays where it was when the bar was opened, so that the handle does not wander.
  const [end, setEnd] = useState(() => Date.now())
  const begin = end - reach * HOUR_MS
  const { at } = past
  const shown = at ?? end
  return (
    <section className={css.bar} aria-label={t.title}>
      <button
        type="button"
        className={css.button}
        aria-label={past.playing ? t.pause : t.play}
        aria-pressed={past.playing}
        onClick={() => {
          if (past.playing) return past.pause()
          if (at === null) past.go(begin)
          past.play()
        }}
      >
        {past.playing ? SIGN.pause : SIGN.play}
      </button>
      <select
        className={css.field}
        aria-label={t.speed}
        value={past.speed}
        onChange={event => past.setSpeed(Number(event.target.value))}
      >
        {SPEEDS.map(speed => (
          <option key={speed} value={speed}>{`${speed}×`}</option>
        ))}
      </select>
      <input
        className={css.slider}
        type="range"
        aria-label={t.moment}
        aria-valuetext={new Date(shown).toLocaleString(language === 'zh' ? 'zh-CN' : 'en-GB')}
        min={begin}
        max={end}
        step={1000}
        value={Math.min(end, Math.max(begin, shown))}
        onChange={event => past.go(Number(event.target.value))}
      />
      <select
        className={css.field}
        aria-label={t.reach}
        value={reach}
        onChange={event => {
          setReach(Number(event.target.value) as Reach)
          setEnd(Date.now())
        }}
      >
        {REACHES.map(hours => (
          <option key={hours} value={hours}>
            {t.reaches[String(hours) as '1']}
          </option>
        ))}
      </select>
      <input
        className={css.field}
        type="datetime-local"
        step={1}
        aria-label={t.time}
        value={fieldOf(shown)}
        max={fieldOf(Date.now())}
        onChange={event => {
          const ts = new Date(event.target.value).getTime()
          if (Number.isNaN(ts)) return
          if (ts < begin || ts > end) setEnd(Math.min(Date.now(), ts + (reach * HOUR_MS) / 2))
          past.go(ts)
        }}
      />
      <span className={css.said} role="status" data-kind={past.error ? 'failed' : undefined}>
        {past.error ?? (past.loading ? t.loading : at === null ? t.isLive : t.isPast)}
      </span>
      <button type="button" className={css.button} disabled={at === null} onClick={past.live}>
        {t.live}
      </button>
      <button
        type="button"
        className={css.button}
        onClick={() => {
          past.live()
          onClose()
        }}
      >
        {words[language].close}
      </button>
    </section>
  )
}
