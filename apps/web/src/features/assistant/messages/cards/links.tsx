import type { LinksCard } from '@thingwright/contracts/assistant-cards'
import { OwnLink } from '../own-link.tsx'
import { visible } from '../visible.ts'
import css from './cards.module.css'

/** Pages of the console that lead on. */
export function Links({ card }: { card: LinksCard }) {
  return (
    <nav className={css.links} aria-label={visible(card.title)} data-testid="links-card">
      <h4 dir="auto">{visible(card.title)}</h4>
      <ul>
        {card.items.map((item, at) => (
          <li key={at}>
            <OwnLink to={item.to}>{visible(item.title)}</OwnLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
