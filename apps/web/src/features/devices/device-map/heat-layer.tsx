import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import type { Place } from '../../../ui/map/projection.ts'
import css from './device-map.module.css'
import { type HeatSpot, stepOfHeat } from './heat.ts'
import type { Heat } from './use-heat.ts'

const STEPS = [css.heat0, css.heat1, css.heat2, css.heat3, css.heat4]
/** Of a spot, px: neighbouring cells run into each other. */
const RADIUS = 48

/** Spots that fade to their edge, the hottest drawn last. */
export function HeatLayer({
  spots,
  pixel,
}: {
  spots: readonly HeatSpot[]
  pixel: (place: Place) => [x: number, y: number]
}) {
  return (
    <g data-heat={spots.length}>
      <defs>
        {STEPS.map((step, at) => (
          <radialGradient key={step} id={`device-heat-${at}`} className={step}>
            <stop offset="0" stopColor="currentColor" stopOpacity="0.75" />
            <stop offset="1" stopColor="currentColor" stopOpacity="0" />
          </radialGradient>
        ))}
      </defs>
      {spots
        .toSorted((a, b) => a.heat - b.heat)
        .map(({ key, place, heat }) => {
          const [x, y] = pixel(place)
          return <circle key={key} cx={x} cy={y} r={RADIUS} fill={`url(#device-heat-${stepOfHeat(heat)})`} />
        })}
    </g>
  )
}

/** The scale of the heat layer with its ends, or why there is nothing to colour. */
export function HeatLegend({ heat, unit }: { heat: Heat; unit: string }) {
  const { t } = useTranslation('device-map')
  const text = (value: number) => `${formatNumber(value)}${unit ? ` ${unit}` : ''}`
  return (
    <p className={css.legend} aria-live="polite">
      {heat.state === 'closer' && t('heatCloser')}
      {heat.state === 'empty' && t('heatEmpty')}
      {heat.state === 'failed' && t('heatFailed')}
      {heat.state === 'shown' && (
        <>
          {text(heat.least)}
          <span className={css.scale} aria-hidden="true">
            {STEPS.map(step => (
              <i key={step} className={step} />
            ))}
          </span>
          {text(heat.most)}
        </>
      )}
    </p>
  )
}
