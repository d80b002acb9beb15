import { randomInt } from 'node:crypto'
import glyphs from './captcha-glyphs.json' with { type: 'json' }

/** What is drawn: no letters that people take for one another. */
export const CAPTCHA_LETTERS = Object.keys(glyphs) as (keyof typeof glyphs)[]

const WIDTH = 150
const HEIGHT = 50
/** Strokes of a glyph stand on a grid of 4 by 6. */
const GRID = { width: 4, height: 6 }
const COLOURS = ['#2456c8', '#0f7a55', '#8a4b08', '#7a2f8f', '#a8323f']

type Point = readonly [number, number]

/**
 * A picture of the text: strokes of our own, bent, turned and moved by chance, mixed in no order with strokes that say
 * nothing. There is no text and no font in it. It keeps simple programs out; the counters behind it are what protects.
 */
export function drawCaptcha(text: string): string {
  const strokes: string[] = []
  const step = (WIDTH - 24) / text.length
  for (const [index, letter] of [...text].entries()) {
    const size = 4.4 + chance(0.9)
    const turn = chance(0.7) - 0.35
    const slant = chance(0.5) - 0.25
    const centre: Point = [12 + step * (index + 0.5) + chance(4) - 2, HEIGHT / 2 + chance(8) - 4]
    const place = ([x, y]: Point): Point => {
      const [dx, dy] = [
        (x - GRID.width / 2) * size + slant * (y - GRID.height / 2) * size,
        (y - GRID.height / 2) * size,
      ]
      return [
        centre[0] + dx * Math.cos(turn) - dy * Math.sin(turn),
        centre[1] + dx * Math.sin(turn) + dy * Math.cos(turn),
      ]
    }
    const colour = COLOURS[randomInt(COLOURS.length)]!
    for (const line of glyphs[letter as keyof typeof glyphs] as unknown as Point[][])
      strokes.push(path(bent(line.map(place)), colour, 2.1 + chance(0.9)))
  }
  for (let i = 0; i < 3; i++) {
    const [from, to]: [Point, Point] = [
      [chance(WIDTH * 0.4), 6 + chance(HEIGHT - 12)],
      [WIDTH * 0.6 + chance(WIDTH * 0.4), 6 + chance(HEIGHT - 12)],
    ]
    const bend: Point = [WIDTH / 2 + chance(60) - 30, chance(HEIGHT)]
    strokes.push(path([from, bend, to], COLOURS[randomInt(COLOURS.length)]!, 0.9 + chance(0.6)))
  }
  for (let i = 0; i < 10; i++) {
    const [x, y] = [4 + chance(WIDTH - 8), 4 + chance(HEIGHT - 8)]
    strokes.push(
      path(
        [
          [x, y],
          [x + chance(8) - 4, y + chance(8) - 4],
        ],
        COLOURS[randomInt(COLOURS.length)]!,
        1 + chance(1),
      ),
    )
  }
  shuffle(strokes)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><rect width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#f3f5f9"/><g fill="none" stroke-linecap="round" stroke-linejoin="round">${strokes.join('')}</g></svg>`
}

/** A random number from 0 to below `span`; from the system's generator, so that one picture does not tell the next. */
function chance(span: number): number {
  return (randomInt(1_000_000) / 1_000_000) * span
}

/** Each piece of a line in two, every point pushed a little. */
function bent(points: readonly Point[]): Point[] {
  const out: Point[] = []
  for (const [index, point] of points.entries()) {
    const next = points[index + 1]
    out.push(pushed(point))
    if (next) out.push(pushed([(point[0] + next[0]) / 2, (point[1] + next[1]) / 2]))
  }
  return out
}

function pushed([x, y]: Point): Point {
  return [x + chance(1.6) - 0.8, y + chance(1.6) - 0.8]
}

function path(points: readonly Point[], colour: string, width: number): string {
  const d = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
  return `<path d="${d}" stroke="${colour}" stroke-width="${width.toFixed(1)}"/>`
}

function shuffle(list: string[]): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = randomInt(i + 1)
    ;[list[i], list[j]] = [list[j]!, list[i]!]
  }
}
