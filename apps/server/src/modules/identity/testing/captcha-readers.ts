/** Programs that read captchas after having seen some with their answers: what an attacker writes in an hour. */
export interface Sample {
  text: string
  image: string
}
export type Reader = (image: string) => string

type Point = [number, number]
interface Line {
  points: Point[]
  width: number
  colour: string
}

/** Every line of a picture; a path of several pieces gives several. */
export function linesOf(image: string): Line[] {
  return [...image.matchAll(/<path d="([^"]+)" stroke="([^"]+)" stroke-width="([^"]+)"/g)].flatMap(
    ([, d, colour, width]) =>
      d!
        .split('M')
        .filter(Boolean)
        .map(part => ({
          points: (part.match(/-?[\d.]+/g) ?? []).reduce<Point[]>((all, number, i, numbers) => {
            if (i % 2) all.push([Number(numbers[i - 1]), Number(number)])
            return all
          }, []),
          width: Number(width),
          colour: colour!,
        })),
  )
}

const sizeOf = (image: string) => ({
  width: Number(/width="(\d+)"/.exec(image)![1]),
  height: Number(/height="(\d+)"/.exec(image)![1]),
})
const slotOf = (x: number, width: number, letters: number) =>
  Math.max(0, Math.min(letters - 1, Math.floor(((x - 0.08 * width) / (0.84 * width)) * letters)))

/** By the strokes: thick lines, put to a letter by their place, compared by the number and place of their points. */
export function strokeReader(samples: readonly Sample[]): Reader {
  const letters = samples[0]!.text.length
  const cut = (image: string) => {
    const { width } = sizeOf(image)
    const lines = linesOf(image)
    const widths = lines.map(line => line.width).sort((a, b) => b - a)
    const thick = lines.filter(line => line.width >= Math.min(2.05, widths[0]! * 0.7))
    return Array.from({ length: letters }, (_, slot) => {
      const own = thick
        .filter(({ points }) => slotOf(mean(points.map(([x]) => x)), width, letters) === slot)
        .sort((a, b) => b.points.length - a.points.length)
      const every = own.flatMap(({ points }) => points)
      const all = every.filter((_, i) => i % Math.ceil(every.length / 20) === 0)
      const [mx, my] = [mean(all.map(([x]) => x)), mean(all.map(([, y]) => y))]
      const size = Math.sqrt(mean(all.map(([x, y]) => (x - mx) ** 2 + (y - my) ** 2))) || 1
      return {
        key: own.map(({ points }) => points.length).join(),
        at: all.map(([x, y]) => [(x - mx) / size, (y - my) / size]),
      }
    })
  }
  const known = samples.flatMap(({ text, image }) => cut(image).map((cell, i) => ({ ...cell, letter: text[i]! })))
  return image =>
    cut(image)
      .map(cell => {
        const near = known.filter(({ key }) => key === cell.key)
        const scored = (near.length > 0 ? near : known.filter((_, i) => i % 5 === 0)).map(({ at, letter }) => ({
          letter,
          far: distance(at, cell.at),
        }))
        return scored.reduce((a, b) => (b.far < a.far ? b : a)).letter
      })
      .join('')
}

/** By the picture: all lines drawn on a grid, cut into as many columns as there are letters, the most similar wins. */
export function gridReader(samples: readonly Sample[]): Reader {
  const letters = samples[0]!.text.length
  const [COLUMNS, ROWS] = [12, 14]
  const cut = (image: string) => {
    const { width, height } = sizeOf(image)
    const grids = Array.from({ length: letters }, () => new Float64Array(COLUMNS * ROWS))
    for (const line of linesOf(image)) {
      for (let i = 1; i < line.points.length; i++) {
        const [[x0, y0], [x1, y1]] = [line.points[i - 1]!, line.points[i]!]
        const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) * 2)
        for (let s = 0; s <= steps; s++) {
          const [x, y] = [x0 + ((x1 - x0) * s) / steps, y0 + ((y1 - y0) * s) / steps]
          const slot = slotOf(x, width, letters)
          const inside = ((x - 0.08 * width) / (0.84 * width)) * letters - slot
          const [c, r] = [Math.floor(inside * COLUMNS), Math.floor((y / height) * ROWS)]
          for (let dc = -1; dc <= 1; dc++)
            for (let dr = -1; dr <= 1; dr++)
              if (c + dc >= 0 && c + dc < COLUMNS && r + dr >= 0 && r + dr < ROWS)
                grids[slot]![(r + dr) * COLUMNS + c + dc]! += line.width * (dc === 0 && dr === 0 ? 2 : 1)
        }
      }
    }
    for (const grid of grids) {
      const length = Math.hypot(...grid) || 1
      for (const i of grid.keys()) grid[i]! /= length
    }
    return grids
  }
  const known = samples.flatMap(({ text, image }) => cut(image).map((grid, i) => ({ grid, letter: text[i]! })))
  return image =>
    cut(image)
      .map(grid => {
        const votes = new Map<string, number>()
        const near = known
          .map(one => ({ letter: one.letter, like: one.grid.reduce((sum, value, i) => sum + value * grid[i]!, 0) }))
          .sort((a, b) => b.like - a.like)
          .slice(0, 5)
        for (const { letter, like } of near) votes.set(letter, (votes.get(letter) ?? 0) + like ** 8)
        return [...votes].reduce((a, b) => (b[1] > a[1] ? b : a))[0]
      })
      .join('')
}

const mean = (numbers: number[]) => (numbers.length === 0 ? 0 : numbers.reduce((a, b) => a + b, 0) / numbers.length)

function distance(a: number[][], b: number[][]): number {
  if (a.length === 0 || b.length === 0) return 1e9
  const one = (from: number[][], to: number[][]) =>
    mean(from.map(([x, y]) => Math.min(...to.map(([u, v]) => (x! - u!) ** 2 + (y! - v!) ** 2))))
  return one(a, b) + one(b, a)
}
