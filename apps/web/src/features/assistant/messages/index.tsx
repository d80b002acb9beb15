import type { Card } from '@thingwright/contracts/assistant-cards'
import { memo, useMemo } from 'react'
import type { MessageBodyProps } from '../model.ts'
import { Activity } from './cards/activity.tsx'
import { ApprovalView } from './cards/approval.tsx'
import { ChartView } from './cards/chart.tsx'
import { Choices } from './cards/choices.tsx'
import { CodeView } from './cards/code.tsx'
import { Links } from './cards/links.tsx'
import { TableView } from './cards/table.tsx'
import { Markdown } from './markdown/markdown.tsx'
import css from './messages.module.css'
import { segmentsOf } from './segments.ts'
import { visible } from './visible.ts'

/**
 * What one message shows: a question as it was typed, a reply as markdown with its cards in their places. Its texts
 * are the namespaces `messages` and `ui`.
 */
export const MessageBody = memo(function MessageBody({
  message,
  answer = null,
  waiting = false,
  onSend,
  onCard = nobody,
}: MessageBodyProps) {
  const { type, data, cards } = message
  const segments = useMemo(() => (type === 'L' ? segmentsOf(data, cards) : []), [type, data, cards])
  if (type === 'R')
    return (
      <p className={css.question} dir="auto">
        {visible(data)}
      </p>
    )
  const arriving = message.state === 1
  return (
    <div className={css.body} data-testid="message-body">
      {segments.map((segment, at) =>
        segment.kind === 'text' ? (
          <Markdown key={segment.key} text={segment.text} arriving={arriving && at === segments.length - 1} />
        ) : segment.kind === 'activity' ? (
          <Activity key={segment.key} cards={segment.cards} arriving={arriving} />
        ) : (
          <CardView key={segment.key} card={segment.card} {...{ arriving, answer, waiting, onSend, onCard }} />
        ),
      )}
    </div>
  )
})

const nobody = () => undefined

function CardView({
  card,
  arriving,
  answer,
  waiting,
  onSend,
  onCard,
}: Required<Omit<MessageBodyProps, 'message'>> & { card: Card; arriving: boolean }) {
  switch (card.kind) {
    case 'approval':
      return <ApprovalView card={card} arriving={arriving} onCard={onCard} />
    case 'table':
      return <TableView card={card} />
    case 'chart':
      return <ChartView card={card} />
    case 'choices':
      return <Choices card={card} answer={answer} waiting={waiting} onSend={onSend} />
    case 'code':
      return <CodeView card={card} />
    case 'links':
      return <Links card={card} />
    default:
      // A card that a later version of the server knows.
      return null
  }
}
