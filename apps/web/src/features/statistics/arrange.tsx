import { Button } from 'antd'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameOfCard as nameOf, type PlacedCard } from '../../lib/home-cards.ts'
import css from './statistics.module.css'

const TYPE = 'application/x-thingwright-card'
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

/** Above the cards while they are being arranged. */
export function ArrangeBar({ onReset, onDone }: { onReset: () => void; onDone: () => void }) {
  const { t } = useTranslation('statistics')
  return (
    <div className={css.arrangeBar} role="status">
      <span>{t('arrange.how')}</span>
      <Button size="small" onClick={onReset}>
        {t('arrange.reset')}
      </Button>
      <Button size="small" type="primary" onClick={onDone}>
        {t('arrange.done')}
      </Button>
    </div>
  )
}

/** Over a card: a handle to drag it by, or to move it with the arrow keys, and a way to hide it. */
export function ArrangeTools({
  card,
  at,
  last,
  onMove,
  onHide,
}: {
  card: PlacedCard
  at: number
  last: number
  onMove: (key: string, to: number) => void
  onHide: (key: string) => void
}) {
  const { t } = useTranslation('statistics')
  const [over, setOver] = useState(false)
  const name = nameOf(card)
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onMove(card.key, Math.min(last, Math.max(0, at + step)))
  }
  const accepts = (event: DragEvent) => event.dataTransfer.types.includes(TYPE)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the place is where a card is dropped; the handle has the keys
    <div
      className={css.arrange}
      data-over={over}
      onDragOver={event => {
        if (!accepts(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        const key = event.dataTransfer.getData(TYPE)
        if (key && key !== card.key) onMove(key, at)
      }}
    >
      <button
        type="button"
        className={css.handle}
        draggable
        aria-label={t('arrange.handle', { name, place: at + 1, all: last + 1 })}
        aria-keyshortcuts="ArrowLeft ArrowRight"
        onKeyDown={press}
        onDragStart={event => {
          event.dataTransfer.setData(TYPE, card.key)
          event.dataTransfer.effectAllowed = 'move'
        }}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5 3h2v2H5zM9 3h2v2H9zM5 7h2v2H5zM9 7h2v2H9zM5 11h2v2H5zM9 11h2v2H9z" fill="currentColor" />
        </svg>
        {name}
      </button>
      <Button size="small" onClick={() => onHide(card.key)} aria-label={t('arrange.hideOne', { name })}>
        {t('arrange.hide')}
      </Button>
    </div>
  )
}

/** What was put away, each with the way back. */
export function HiddenCards({ cards, onShow }: { cards: readonly PlacedCard[]; onShow: (key: string) => void }) {
  const { t } = useTranslation('statistics')
  return (
    <section className={css.hidden}>
      <h2>{t('arrange.hidden')}</h2>
      {cards.map(card => (
        <Button key={card.key} size="small" onClick={() => onShow(card.key)}>
          {t('arrange.show', { name: nameOf(card) })}
        </Button>
      ))}
    </section>
  )
}
