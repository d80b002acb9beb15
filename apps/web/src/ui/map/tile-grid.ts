import { type MapView, project, scaleOf, WORLD } from './projection.ts'

/** Side of a tile as it is drawn by its service, px. */
const TILE = 256
/** So far beside the window tiles are drawn too, px. */
const BESIDE = 256

/** A tile: which one it is, and where in the window it lies. */
export interface Tile {
  key: string
  x: number
  y: number
  z: number
  left: number
  top: number
  width: number
  height: number
}

/** The tiles that cover a window, of the level nearest to its scale. */
export function tilesOf(view: MapView, width: number, height: number, levels: number): Tile[] {
  const world = scaleOf(view, width) * WORLD
  const z = Math.min(levels, Math.max(1, Math.round(Math.log2(world / TILE))))
  const count = 2 ** z
  const size = world / count
  const [cx, cy] = project(view)
  const left = (cx / WORLD) * world - width / 2
  const top = (cy / WORLD) * world - height / 2
  const first = (from: number) => Math.floor((from - BESIDE) / size)
  const last = (from: number, length: number) => Math.floor((from + length + BESIDE) / size)
  const found: Tile[] = []
  for (let y = Math.max(0, first(top)); y <= Math.min(count - 1, last(top, height)); y++)
    for (let x = first(left); x <= last(left, width); x++) {
      // Whole pixels: no gap shows between two tiles.
      const [x1, x2] = [Math.round(x * size - left), Math.round((x + 1) * size - left)]
      const [y1, y2] = [Math.round(y * size - top), Math.round((y + 1) * size - top)]
      // Beyond 180 degrees the world goes on with its other edge.
      const wrapped = ((x % count) + count) % count
      found.push({ key: `${z}/${x}/${y}`, x: wrapped, y, z, left: x1, top: y1, width: x2 - x1, height: y2 - y1 })
    }
  return found
}

/** The address of a tile; which server is asked depends on the tile alone, so that it is found in the browser's cache. */
export function addressOf(layer: string, servers: readonly string[], { x, y, z }: Pick<Tile, 'x' | 'y' | 'z'>): string {
  return layer
    .replaceAll('{s}', servers[(x + y) % servers.length] ?? '')
    .replaceAll('{x}', String(x))
    .replaceAll('{y}', String(y))
    .replaceAll('{-y}', String(2 ** z - 1 - y))
    .replaceAll('{z}', String(z))
}
