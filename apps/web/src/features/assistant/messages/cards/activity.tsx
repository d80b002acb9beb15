import {
  CheckCircleFilled,
  CloseCircleFilled,
  LoadingOutlined,
  MinusCircleOutlined,
  RightOutlined,
} from '@ant-design/icons'
import type { ActivityCard } from '@thingwright/contracts/assistant-cards'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { visible } from '../visible.ts'
import css from './cards.module.css'

/** What was running when its reply ended never came to its end. */
type State = ActivityCard['state'] | 'stopped'

const SIGN = {
  running: <LoadingOutlined aria-hidden />,
  done: <CheckCircleFilled aria-hidden />,
  failed: <CloseCircleFilled aria-hidden />,
  stopped: <MinusCircleOutlined aria-hidden />,
} as const

/** Tools at work, one line: the one that runs, or how many were used; the whole list on a click. */
export function Activity({ cards, arriving }: { cards: readonly ActivityCard[]; arriving: boolean }) {
  const { t } = useTranslation('messages')
  const [open, setOpen] = useState(false)
  const states = cards.map((card): State => (card.state === 'running' && !arriving ? 'stopped' : card.state))
  const running = states.lastIndexOf('running')
  const failed = states.filter(state => state === 'failed').length
  if (cards.length === 1) return <Line title={cards[0]!.title} state={states[0]!} />
  const state = running >= 0 ? 'running' : failed > 0 ? 'failed' : states.includes('stopped') ? 'stopped' : 'done'
  const title =
    running >= 0
      ? t('activity.step', { title: visible(cards[running]!.title), at: running + 1, count: cards.length })
      : failed > 0
        ? t('activity.someFailed', { count: cards.length, failed })
        : t('activity.done', { count: cards.length })
  return (
    <div className={css.activities}>
      <button
        type="button"
        className={css.activity}
        data-state={state}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {SIGN[state]}
        <span>{title}</span>
        <RightOutlined className={css.turn} data-open={open} aria-hidden />
      </button>
      {open && (
        <ol className={css.activityList}>
          {cards.map((card, at) => (
            <li key={card.id}>
              <Line title={card.title} state={states[at]!} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function Line({ title, state }: { title: string; state: State }) {
  const { t } = useTranslation('messages')
  return (
    <div className={css.activity} data-state={state} data-testid="activity">
      {SIGN[state]}
      <span dir="auto">{visible(title)}</span>
      <span className={css.unseen}>{t(`activity.state.${state}`)}</span>
      {(state === 'failed' || state === 'stopped') && <small aria-hidden>{t(`activity.state.${state}`)}</small>}
    </div>
  )
}
