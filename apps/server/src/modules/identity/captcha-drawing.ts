import { randomInt } from 'node:crypto'
import glyphs from './captcha-glyphs.json' with { type: 'json' }

/** What is drawn: no letters that people take for one another. */
export const CAPTCHA_LETTERS = Object.keys(glyphs) as (keyof typeof glyphs)[]

const WIDTH = 200
const HEIGHT = 64
/** Strokes of a glyph stand on a grid of 4 by 6. */
const GRID = { width: 4, height: 6 }
const COLOURS = ['#2456c8', '#0f7a55', '#8a4b08', '#7a2f8f', '#a8323f', '#3d4654']

type Point = readonly [number, number]
type Line = readonly Point[]

/**
 * A picture of the text. There is no text and no font in it, and its paths say nothing of the letters: every line,
 * of a letter or not, is cut into pieces of chance lengths and directions, and each path takes pieces from all over the
 * picture, so that neither number, order, width nor colour of paths goes with a letter. What is left is to look at it:
 * letters of chance sizes, turns and places that touch each other, bent together, under lines that say nothing. It
 * keeps simple programs out; the counters behind it are what protects.
 */
export function drawCaptcha(text: string): string {
  const bend = bending()
  const lines: Line[] = []
  for (const letter of placed(text)) {
    for (const line of letter) {
      // Drawn over and over with a hand that is not steady: letters look stronger than what crosses them.
      for (let pass = 0; pass < 4; pass++) lines.push(line.map(point => pushed(point, 0.9)))
      // Here and there a stroke goes on where it should end.
      if (randomInt(4) === 0) lines.push(tail(line))
    }
  }
  for (let i = 0; i < 4; i++) lines.push(wave())
  for (let i = 0; i < 5; i++) lines.push(scrap())
  const pieces = shuffled(lines.flatMap(line => cut(smooth(line).map(bend))))
  const paths: string[] = []
  for (const group of groups(pieces)) {
    const d = group.map(piece =>
      piece.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(''),
    )
    paths.push(
      `<path d="${d.join('')}" stroke="${COLOURS[randomInt(COLOURS.length)]}" stroke-width="${(1.3 + chance(0.6)).toFixed(1)}"/>`,
    )
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><rect width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#f3f5f9"/><g fill="none" stroke-linecap="round" stroke-linejoin="round">${paths.join('')}</g></svg>`
}

/** The strokes of each letter where they stand. Widths and gaps differ, so that no column belongs to one letter. */
function placed(text: string): Line[][] {
  const widths = [...text].map(() => 0.6 + chance(0.7))
  const all = widths.reduce((sum, width) => sum + width, 0)
  const room = WIDTH - 16 - chance(44)
  let left = 8 + (WIDTH - room - 16) * chance(1)
  return [...text].map((letter, index) => {
    const width = (widths[index]! / all) * room
    const [sx, sy] = [(width * (0.66 + chance(0.16))) / GRID.width, (HEIGHT * (0.5 + chance(0.14))) / GRID.height]
    const turn = chance(0.9) - 0.45
    const slant = chance(0.5) - 0.25
    const middle: Point = [left + width / 2 + chance(5) - 2.5, HEIGHT / 2 + chance(16) - 8]
    left += width
    return (glyphs[letter as keyof typeof glyphs] as unknown as Point[][]).map(line =>
      line.map(corner => {
        const [x, y] = pushed(corner, 0.25)
        const [dx, dy] = [(x - GRID.width / 2) * sx + slant * (y - GRID.height / 2) * sy, (y - GRID.height / 2) * sy]
        return [
          middle[0] + dx * Math.cos(turn) - dy * Math.sin(turn),
          middle[1] + dx * Math.sin(turn) + dy * Math.cos(turn),
        ]
      }),
    )
  })
}

/** A short line from the end of another one. */
function tail(line: Line): Line {
  const [x, y] = line[randomInt(2) === 0 ? 0 : line.length - 1]!
  return [
    [x, y],
    [x + chance(14) - 7, y + chance(14) - 7],
  ]
}

/** A line across the picture. */
function wave(): Line {
  const [from, height, length] = [chance(HEIGHT), 6 + chance(16), 40 + chance(90)]
  const [begin, end, phase] = [chance(WIDTH * 0.35), WIDTH * (0.65 + chance(0.35)), chance(6.3)]
  const points: Point[] = []
  for (let x = begin; x < end; x += 9) points.push([x, from + height * Math.sin((x / length) * 6.3 + phase)])
  return points
}

/** A stroke of some letter where no letter is. */
function scrap(): Line {
  const letter = glyphs[CAPTCHA_LETTERS[randomInt(CAPTCHA_LETTERS.length)]!] as unknown as Point[][]
  const line = letter[randomInt(letter.length)]!
  const from = randomInt(line.length - 1)
  const size = 2.5 + chance(3)
  const turn = chance(6.3)
  const [mx, my] = [chance(WIDTH), chance(HEIGHT)]
  return line
    .slice(from, from + 2 + randomInt(2))
    .map(([x, y]) => [
      mx + size * (x * Math.cos(turn) - y * Math.sin(turn)),
      my + size * (x * Math.sin(turn) + y * Math.cos(turn)),
    ])
}

/** One bending of the whole picture. */
function bending(): (point: Point) => Point {
  const wave = () => ({ high: 1 + chance(2), long: 45 + chance(60), phase: chance(6.3) })
  const [x, y, y2] = [wave(), wave(), wave()]
  const at = (w: ReturnType<typeof wave>, place: number) => w.high * Math.sin((place / w.long) * 6.3 + w.phase)
  return ([px, py]) => [px + at(x, py), py + at(y, px) + at(y2, px + py)]
}

/** Points every two units or so, corners now round, now sharp. */
function smooth(line: Line): Line {
  const out: Point[] = [line[0]!]
  for (let i = 1; i < line.length; i++) {
    const [[ax, ay], [bx, by]] = [line[i - 1]!, line[i]!]
    const steps = Math.max(1, Math.round(Math.hypot(bx - ax, by - ay) / (1.6 + chance(1.2))))
    const [bowX, bowY] = [chance(1.4) - 0.7, chance(1.4) - 0.7]
    for (let s = 1; s <= steps; s++) {
      const t = s / steps
      const bow = 4 * t * (1 - t)
      out.push([ax + (bx - ax) * t + bowX * bow, ay + (by - ay) * t + bowY * bow])
    }
  }
  return out
}

/** A line as pieces of two to eight points, some drawn backwards, here and there with a gap. */
function cut(line: Line): Line[] {
  const out: Line[] = []
  for (let i = 0; i < line.length - 1; ) {
    const length = 2 + randomInt(7)
    const piece = line.slice(i, i + length)
    if (piece.length > 1 && randomInt(12) > 0) out.push(randomInt(2) === 0 ? piece : [...piece].reverse())
    i += length - 1
  }
  return out
}

/** Pieces as paths of four to eleven; the first and the last of the picture are in each other's. */
function groups(pieces: readonly Line[]): Line[][] {
  const out: Line[][] = []
  for (let i = 0; i < pieces.length; ) {
    const length = 6 + randomInt(8)
    out.push(pieces.slice(i, i + length))
    i += length
  }
  // What is left over at the end would be a path of few pieces, near each other by chance.
  if (out.length > 1 && out.at(-1)!.length < 6) out.at(-2)!.push(...out.pop()!)
  return out
}

/** A random number from 0 to below `span`; from the system's generator, so that one picture does not tell the next. */
function chance(span: number): number {
  return (randomInt(1_000_000) / 1_000_000) * span
}

function pushed([x, y]: Point, by: number): Point {
  return [x + chance(2 * by) - by, y + chance(2 * by) - by]
}

function shuffled<T>(list: readonly T[]): T[] {
  const out = [...list]
  for (let i = out.length - 1; i > 0; i--) {
    const j = randomInt(i + 1)
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}
