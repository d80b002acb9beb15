/** Random numbers that can be stored and continued: the whole state is one integer (mulberry32). */
export class Rng {
  state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  /** About normal, mean 0 and deviation 1, never beyond ±3.5 (sum of four uniforms). */
  noise(): number {
    return (this.next() + this.next() + this.next() + this.next() - 2) * Math.sqrt(3)
  }

  /** True with the chance that an event of the given mean interval falls into dtMs. */
  happens(meanIntervalMs: number, dtMs: number): boolean {
    return this.next() < 1 - Math.exp(-dtMs / meanIntervalMs)
  }
}

/** A 32-bit number from text, well spread (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
