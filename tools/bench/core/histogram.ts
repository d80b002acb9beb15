/** Buckets per doubling: percentiles are exact within 1.1 %. */
const PER_OCTAVE = 64
const OCTAVES = 24
/** Smallest value told apart, ms. */
const LOWEST = 0.01

/** What is sent between processes and written into results. */
export interface HistogramData {
  counts: Uint32Array
  count: number
  max: number
  sum: number
}

/** Durations in ms, in buckets that grow by 1.1 %: any number of values in 6 KB, added in constant time. */
export class Histogram {
  private counts = new Uint32Array(PER_OCTAVE * OCTAVES)
  private max = 0
  private sum = 0
  count = 0

  record(ms: number): void {
    const place = ms <= LOWEST ? 0 : Math.ceil(Math.log2(ms / LOWEST) * PER_OCTAVE)
    this.counts[place < this.counts.length ? place : this.counts.length - 1]!++
    this.count++
    this.sum += ms
    if (ms > this.max) this.max = ms
  }

  /** Upper edge of the bucket that holds the percentile (0 to 100), never above the largest value; 0 when empty. */
  percentile(percent: number): number {
    let left = Math.max(1, Math.ceil((this.count * percent) / 100))
    if (this.count === 0) return 0
    for (let i = 0; i < this.counts.length; i++) {
      left -= this.counts[i]!
      if (left <= 0) return Math.min(this.max, LOWEST * 2 ** (i / PER_OCTAVE))
    }
    return this.max
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count
  }

  add(data: HistogramData): void {
    for (let i = 0; i < this.counts.length; i++) this.counts[i]! += data.counts[i]!
    this.count += data.count
    this.sum += data.sum
    this.max = Math.max(this.max, data.max)
  }

  data(): HistogramData {
    return { counts: this.counts.slice(), count: this.count, max: this.max, sum: this.sum }
  }

  reset(): void {
    this.counts.fill(0)
    this.count = 0
    this.sum = 0
    this.max = 0
  }

  /** A percentile is only named when at least three values lie above it. */
  summary(): LatencySummary {
    const at = (percent: number) => (this.count * (100 - percent) >= 300 ? round(this.percentile(percent)) : null)
    return {
      n: this.count,
      p50: this.count === 0 ? null : round(this.percentile(50)),
      p99: at(99),
      p999: at(99.9),
      max: this.count === 0 ? null : round(this.max),
    }
  }
}

export interface LatencySummary {
  n: number
  p50: number | null
  p99: number | null
  p999: number | null
  max: number | null
}

function round(ms: number): number {
  return ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms * 10) / 10
}
