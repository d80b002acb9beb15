import type { CodeCard } from '@thingwright/contracts/assistant-cards'
import { useState } from 'react'
import { TabBar } from '../../../../ui/tab-bar.tsx'
import { CodeBox } from '../markdown/code-box.tsx'
import css from '../messages.module.css'
import { visible } from '../visible.ts'
import own from './cards.module.css'

/** Ready snippets, one for each language. */
export function CodeView({ card }: { card: CodeCard }) {
  const [shown, setShown] = useState('0')
  const block = card.blocks[Number(shown)] ?? card.blocks[0]
  return (
    <section className={css.card} aria-label={visible(card.title)} data-testid="code-card">
      <header className={own.cardHead}>
        <h4 dir="auto">{visible(card.title)}</h4>
      </header>
      {card.blocks.length > 1 && (
        <TabBar
          label={visible(card.title)}
          active={shown}
          onChange={setShown}
          items={card.blocks.map(({ title }, at) => ({ key: String(at), label: visible(title) }))}
        />
      )}
      {block && <CodeBox text={block.text} language={visible(block.language)} label={visible(block.title)} />}
    </section>
  )
}
