import type { ChartCard } from '@thingwright/contracts/assistant-cards'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import css from '../messages.module.css'
import { OwnLink } from '../own-link.tsx'
import { visible } from '../visible.ts'
import own from './cards.module.css'

const ChartPlot = lazy(async () => ({ default: (await import('./chart-plot.tsx')).ChartPlot }))

/** Measured values over time; what draws them is downloaded with the first chart. */
export function ChartView({ card }: { card: ChartCard }) {
  const { t } = useTranslation('messages')
  const empty = card.series.every(series => series.points.every(point => point[1] === null))
  return (
    <section className={css.card} aria-label={visible(card.title)} data-testid="chart-card">
      <header className={own.cardHead}>
        <h4 dir="auto">{visible(card.title)}</h4>
      </header>
      {empty ? (
        <p className={css.quiet}>{t('chart.empty')}</p>
      ) : (
        <Suspense fallback={<div className={own.plotBone} />}>
          <ChartPlot card={card} />
        </Suspense>
      )}
      {card.link && (
        <footer className={own.cardFoot}>
          <OwnLink to={card.link.to}>{visible(card.link.title)}</OwnLink>
        </footer>
      )}
    </section>
  )
}
