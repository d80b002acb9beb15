import { HOUR_MS, type Readings } from '../../../modules/telemetry/index.ts'
import type { JournalRow } from '../../lanes.port.ts'

const CHUNK = 65_536
const Kind = { number: 0, bool: 1, other: 2 } as const

/** Values in the order of their arrival, in columns. */
interface Chunk {
  series: Int32Array
  times: Float64Array
  /** The number; 0 or 1; or an index into `others`. */
  values: Float64Array
  /** Quality, and above it the kind. */
  flags: Uint8Array
}

interface Series {
  device: number
  property: string
  count: number
}

/**
 * Values that wait for their sealing. One log for all of them instead of arrays for each property: nothing grows and
 * nothing is collected but what JSON.parse made. They are sorted by property only when they are sealed.
 */
export class ReadingsBuffer {
  rows = 0
  values = 0
  /** Hours since 1970 in which there are values. */
  readonly hours = new Set<number>()
  private readonly ids = new Map<number, Map<string, number>>()
  private readonly series: Series[] = []
  private readonly chunks: Chunk[] = []
  private readonly others: unknown[] = []
  private hourStart = 0
  private hourEnd = 0

  get devices(): number {
    return this.ids.size
  }

  add(row: JournalRow): void {
    const values = JSON.parse(row.values ?? '{}') as Record<string, unknown>
    let ids = this.ids.get(row.device)
    if (ids === undefined) {
      ids = new Map()
      this.ids.set(row.device, ids)
    }
    for (const property in values) {
      let id = ids.get(property)
      if (id === undefined) {
        id = this.series.push({ device: row.device, property, count: 0 }) - 1
        ids.set(property, id)
      }
      this.append(id, row.ts, values[property], row.quality)
    }
    this.rows++
    // Nearly always the hour of the row before.
    if (row.ts >= this.hourStart && row.ts < this.hourEnd) return
    const hour = Math.floor(row.ts / HOUR_MS)
    this.hours.add(hour)
    this.hourStart = hour * HOUR_MS
    this.hourEnd = this.hourStart + HOUR_MS
  }

  /** Names of the properties of each device. */
  names(): ReadonlyMap<number, ReadonlyMap<string, unknown>> {
    return this.ids
  }

  /** Readings property by property, each in the order of arrival, device after device. */
  *byProperty(): Generator<{ device: number; property: string; readings: Readings }> {
    const { series } = this
    const order = series.map((_, id) => id).sort((a, b) => series[a]!.device - series[b]!.device || a - b)
    // Counting sort: where each series begins, then every value into its place.
    const next = new Int32Array(series.length)
    let at = 0
    for (const id of order) {
      next[id] = at
      at += series[id]!.count
    }
    const places = new Int32Array(this.values)
    for (let i = 0; i < this.values; i++) {
      const id = this.chunks[i >>> 16]!.series[i & 0xffff]!
      places[next[id]!++] = i
    }
    let from = 0
    for (const id of order) {
      const { device, property, count } = series[id]!
      yield { device, property, readings: this.readings(places, from, count) }
      from += count
    }
  }

  private append(id: number, time: number, value: unknown, quality: number): void {
    const at = this.values & 0xffff
    if (at === 0) this.chunks.push(newChunk())
    const chunk = this.chunks[this.chunks.length - 1]!
    let kind: number = Kind.number
    if (typeof value === 'number') chunk.values[at] = value
    else if (typeof value === 'boolean') {
      kind = Kind.bool
      chunk.values[at] = value ? 1 : 0
    } else {
      kind = Kind.other
      chunk.values[at] = this.others.push(value) - 1
    }
    chunk.series[at] = id
    chunk.times[at] = time
    chunk.flags[at] = (kind << 4) | quality
    this.series[id]!.count++
    this.values++
  }

  private readings(places: Int32Array, from: number, count: number): Readings {
    const times = new Array<number>(count)
    const values = new Array<unknown>(count)
    let quality: number[] | null = null
    for (let i = 0; i < count; i++) {
      const place = places[from + i]!
      const chunk = this.chunks[place >>> 16]!
      const at = place & 0xffff
      const flags = chunk.flags[at]!
      const value = chunk.values[at]!
      const kind = flags >> 4
      times[i] = chunk.times[at]!
      values[i] = kind === Kind.number ? value : kind === Kind.bool ? value === 1 : this.others[value]
      if ((flags & 0x0f) === 0) continue
      quality ??= new Array<number>(count).fill(0)
      quality[i] = flags & 0x0f
    }
    return { times, values, quality }
  }
}

function newChunk(): Chunk {
  return {
    series: new Int32Array(CHUNK),
    times: new Float64Array(CHUNK),
    values: new Float64Array(CHUNK),
    flags: new Uint8Array(CHUNK),
  }
}
