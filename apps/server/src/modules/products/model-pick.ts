import type { Property } from '@thingwright/thing-model'
import { enumerated } from '../../lib/tools/thing-kit.ts'
import { quoted, type ToolContext, ToolProblem, ToolQuestion } from '../../lib/tools/tools.ts'
import { nameOf, partsNamed } from './model-words.ts'

/** How many properties of a model are offered to choose from. */
const CHOICES = 12

/**
 * The one property that a text names; without a text the only one there is. For tools whose words hold the shared texts.
 * @param of whose model it is, as data
 * @throws ToolProblem when none is called so, naming those there are; ToolQuestion when several could be meant
 */
export function pickProperty(
  t: ToolContext,
  properties: readonly Property[],
  text: string | undefined,
  of: string,
): Property {
  const said = (text ?? '').trim()
  const names = (all: readonly Property[]) => all.map(property => quoted(nameOf(property, t.locale)))
  if (properties.length === 0) throw new ToolProblem(t.say('noProperties', { of: quoted(of) }))
  const found = said === '' ? properties : partsNamed(properties, said)
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new ToolProblem(
      t.say('noSuchProperty', { of: quoted(of), name: quoted(said), known: enumerated(t, names(properties), CHOICES) }),
    )
  throw new ToolQuestion(
    t.say('whichProperty', { of: quoted(of) }),
    'property',
    found.slice(0, CHOICES).map(property => ({ label: nameOf(property, t.locale), value: property.identifier })),
  )
}
