import css from './hero.module.css'

const DEVICES = [
  // A thermometer, a tank, a meter, a truck.
  'M0-9a2.6 2.6 0 0 0-2.6 2.6V2.2a4.6 4.6 0 1 0 5.2 0v-8.6A2.6 2.6 0 0 0 0-9zM0-3v7',
  'M-8-7c0-2 16-2 16 0v14c0 2-16 2-16 0zM-8-7c0 2 16 2 16 0M-8 1c3-2 5 2 8 0s5 2 8 0',
  'M-8-9H8V9H-8zM-5-5.5H5V0H-5zM-4 4h2M0 4h4',
  'M-10-6H2V5h-12zM2-2h5l3 4v3H2M-6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
]
const ROWS = [44, 116, 188, 260]
const HUB = { x: 232, y: 152 }

/** One period of the curve is 320 wide; drawn twice, it scrolls without a seam. */
const PERIOD = 'c20 0 24-26 44-26s22 12 40 12 24-30 44-30 26 40 48 40 22-18 42-18 20 30 42 30 36-8 60-8'
const CURVE = `M0 96${PERIOD}${PERIOD}`

const wire = (y: number) => `M84 ${y}C150 ${y} 150 ${HUB.y} ${HUB.x} ${HUB.y}`

/** Devices reporting into a line chart. Decoration: nothing of it is data; it stands still with reduced motion. */
export function HeroDrawing() {
  return (
    <svg className={css.drawing} viewBox="34 18 596 268" role="presentation" aria-hidden="true">
      <g className={css.wires}>
        {ROWS.map(y => (
          <path key={y} d={wire(y)} />
        ))}
        <path d={`M${HUB.x} ${HUB.y}H292`} />
      </g>
      {ROWS.map((y, index) => (
        <circle
          key={y}
          r="3.5"
          className={css.report}
          style={{ offsetPath: `path("${wire(y)}")`, animationDelay: `${-index * 1.7}s` }}
        />
      ))}
      {ROWS.map((y, index) => (
        <g key={y} transform={`translate(60 ${y})`}>
          <rect x="-24" y="-24" width="48" height="48" rx="10" className={css.box} />
          <path d={DEVICES[index]} className={css.glyph} />
        </g>
      ))}
      <circle cx={HUB.x} cy={HUB.y} r="9" className={css.hub} />
      <circle cx={HUB.x} cy={HUB.y} r="3.5" className={css.hubCore} />
      <g transform="translate(292 52)">
        <rect width="336" height="200" rx="10" className={css.box} />
        <g className={css.grid}>
          <path d="M16 48.5h304M16 96.5h304M16 144.5h304" />
        </g>
        <svg x="16" y="16" width="304" height="168" viewBox="0 0 304 168" aria-hidden="true">
          <g className={css.scroll}>
            <path d={`${CURVE}V168H0z`} className={css.area} />
            <path d={CURVE} className={css.line} />
          </g>
        </svg>
      </g>
    </svg>
  )
}
