import css from '../scene.module.css'
import type { ViewProps } from './view-props.ts'

/** A place on a plain map of degrees: no tiles are loaded from anywhere. */
export function MapView({ look }: ViewProps) {
  const lon = look.value('lon')
  const lat = look.value('lat')
  const x = ((lon ?? 0) + 180) / 360
  const y = (90 - (lat ?? 0)) / 180
  return (
    <div className={css.box}>
      <svg
        className={css.svg}
        viewBox="0 0 360 180"
        preserveAspectRatio="xMidYMid meet"
        role="img"
        aria-label={look.text('label')}
      >
        <rect width={360} height={180} fill="#dbe4f0" />
        {Array.from({ length: 11 }, (_, i) => (i + 1) * 30).map(at => (
          <line key={at} x1={at} x2={at} y1={0} y2={180} stroke="#c2cedd" strokeWidth={0.5} />
        ))}
        {Array.from({ length: 5 }, (_, i) => (i + 1) * 30).map(at => (
          <line key={at} x1={0} x2={360} y1={at} y2={at} stroke="#c2cedd" strokeWidth={0.5} />
        ))}
        {lon !== null && lat !== null && <circle cx={x * 360} cy={y * 180} r={4} fill="#1b4396" />}
      </svg>
      <span className={css.note}>
        {look.text('label')} {lon !== null && lat !== null ? `${lat}, ${lon}` : ''}
      </span>
    </div>
  )
}
