import { type HomeCard, type PlacedCard, provideHomeCards } from '../lib/home-cards.ts'
import { loadTexts } from '../lib/i18n.ts'

const files = import.meta.glob('../features/*/home-cards.ts', { import: 'homeCards' }) as Record<
  string,
  () => Promise<readonly HomeCard[]>
>

/** Cards that areas bring to the overview: each file is one registration. */
async function collect(): Promise<readonly PlacedCard[]> {
  const found = await Promise.all(
    Object.entries(files).map(async ([file, load]) => {
      const area = file.split('/').at(-2)!
      const [cards] = await Promise.all([load(), loadTexts(area)])
      return cards.map(card => ({ ...card, area }))
    }),
  )
  return found.flat().toSorted((a, b) => a.order - b.order)
}

provideHomeCards(collect)
