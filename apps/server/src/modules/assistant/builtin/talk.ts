import type { Card } from '@thingwright/contracts/assistant-cards'
import type { Locale } from '../../../lib/context.ts'
import { newId } from '../../../lib/ids.ts'
import type { Tool } from '../../../lib/tools/tools.ts'
import type { Article } from '../knowledge/articles.ts'
import { fill } from '../tool-context.ts'
import { examplesOf } from '../tool-examples.ts'
import words from './builtin-words.json' with { type: 'json' }

type Text = keyof Omit<typeof words.texts, 'starters'>

/** A text of the engine's own, placeholders filled. */
export function say(key: Text, locale: Locale, values?: Record<string, unknown>): string {
  return fill(words.texts[key][locale], values)
}

/** Choices whose answers are questions. */
export function choices(question: string, options: readonly string[]): Card {
  return { kind: 'choices', id: newId(), question, options: options.map(input => ({ label: input, input })) }
}

export function starters(locale: Locale): Card {
  return choices(say('startersTitle', locale), words.texts.starters[locale])
}

type Area = keyof typeof words.areas

/** Which part of the product a tool belongs to, by the right it needs. */
export function areaOf(tool: Tool): Area {
  if (tool.permission === 'device:command') return 'command'
  const subject = tool.permission.split(':')[0] as keyof typeof words.areaOf
  return (words.areaOf[subject] as Area | undefined) ?? 'personal'
}

function byArea(tools: readonly Tool[]): [Area, Tool[]][] {
  const areas = Object.keys(words.areas) as Area[]
  return areas
    .map((area): [Area, Tool[]] => [area, tools.filter(tool => areaOf(tool) === area)])
    .filter(([, ofArea]) => ofArea.length > 0)
}

/** How many tools of an area are named in a sentence. */
const NAMED = 5

/** "What can you do": the areas that the caller may use, and how changes are allowed. */
export function capabilities(offered: readonly Tool[], locale: Locale): string {
  if (offered.length === 0) return say('capabilitiesNone', locale)
  const areas = byArea(offered).map(([area, tools]) =>
    say('areaLine', locale, {
      area: words.areas[area][locale],
      titles: tools
        .slice(0, NAMED)
        .map(tool => tool.words.title[locale])
        .join(say('titlesBetween', locale)),
      more: tools.length > NAMED ? say('areaMore', locale, { count: tools.length - NAMED, all: tools.length }) : '',
    }),
  )
  return say('capabilities', locale, {
    count: offered.length,
    areas: areas.join('\n'),
    planExample: say('planExample', locale),
  })
}

/** How many tools there are in each area, as part of a sentence. */
export function areaCounts(offered: readonly Tool[], locale: Locale): string {
  return byArea(offered)
    .map(([area, { length }]) => say('areaCount', locale, { area: words.areas[area][locale], count: length }))
    .join(say('titlesBetween', locale))
}

/** "What tools are available": all that the caller may use, as a table by area. */
export function toolTable(offered: readonly Tool[], locale: Locale): Card {
  const classes = { read: 'classRead', write: 'classWrite', delete: 'classDelete', control: 'classControl' } as const
  return {
    kind: 'table',
    title: say('toolsTitle', locale),
    columns: [
      { key: 'area', title: say('columnArea', locale) },
      { key: 'tool', title: say('columnTool', locale) },
      { key: 'class', title: say('columnClass', locale) },
      { key: 'example', title: say('columnExample', locale) },
    ],
    rows: byArea(offered).flatMap(([area, tools]) =>
      tools.map(tool => ({
        area: { text: words.areas[area][locale] },
        tool: { text: tool.words.title[locale] },
        class: { text: say(classes[tool.class], locale) },
        example: { text: examplesOf(tool, locale)[0] ?? '' },
      })),
    ),
    total: offered.length,
  }
}

/** Where an article says it can be done. */
export function articleLinks(article: Article, locale: Locale): Card | null {
  return article.links.length > 0 ? { kind: 'links', title: say('openPage', locale), items: article.links } : null
}

/** Longer pieces than a few words make the text jump. */
const PIECE = 24

/** A text in the pieces in which it is written: by lines, sentences and clauses. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const part of text.split(/(?<=[\n ,.;:!?\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f])/u)) {
    piece += part
    if (piece.length >= PIECE || part.endsWith('\n')) {
      pieces.push(piece)
      piece = ''
    }
  }
  if (piece) pieces.push(piece)
  return pieces
}
