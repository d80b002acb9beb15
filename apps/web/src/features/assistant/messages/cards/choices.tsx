import { CheckOutlined } from '@ant-design/icons'
import type { ChoicesCard } from '@thingwright/contracts/assistant-cards'
import { Button } from 'antd'
import { useState } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { visible } from '../visible.ts'
import css from './cards.module.css'

/** A question with answers to choose from; once something was asked below it they are closed. */
export function Choices({
  card,
  answer,
  waiting,
  onSend,
}: {
  card: ChoicesCard
  /** What was asked next; null: nothing yet. */
  answer: string | null
  waiting: boolean
  onSend: (input: string) => void
}) {
  const [pressed, setPressed] = useState<string | null>(null)
  const said = answer ?? pressed
  const disabled = said !== null || waiting
  return (
    <fieldset className={css.choices} data-testid="choices" disabled={disabled}>
      <legend>
        <Markdown text={card.question} />
      </legend>
      {card.options.map((option, at) => {
        const chosen = said !== null && (said === option.input || said === option.label)
        return (
          <Button
            key={at}
            className={chosen ? (css.chosen ?? '') : ''}
            aria-pressed={chosen}
            disabled={disabled}
            icon={chosen ? <CheckOutlined aria-hidden /> : undefined}
            onClick={() => {
              setPressed(option.input)
              onSend(option.input)
            }}
          >
            <span dir="auto">{visible(option.label)}</span>
          </Button>
        )
      })}
    </fieldset>
  )
}
