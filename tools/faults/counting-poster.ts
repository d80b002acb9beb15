import { setTimeout as delay } from 'node:timers/promises'
import type { Device } from '../lib/installation.ts'
import type { Counted } from './counting-device.ts'

/** No answer for so long: the device asks again. */
const PATIENCE_MS = 10_000

/**
 * A device that counts over HTTP: one number after the other, the next when the last was answered with 2xx. What was not
 * answered, or with an error, it sends again.
 */
export class CountingPoster implements Counted {
  readonly acknowledged = new Set<number>()
  servedUntil = 0
  private readonly sends = new Map<number, number>()
  private readonly base = Date.now() - 3_600_000
  private running = true
  private readonly ended: Promise<void>

  constructor(
    readonly device: Device,
    private readonly url: string,
    /** Whether its messages say when they were made; without, the time of arrival counts. */
    private readonly givesTimes: boolean,
    private readonly pauseMs: number,
  ) {
    this.ended = this.run()
  }

  atMost(n: number): number {
    return this.givesTimes ? 1 : (this.sends.get(n) ?? 0)
  }

  async settle(): Promise<void> {
    this.running = false
    await this.ended
  }

  async close(): Promise<void> {
    await this.settle()
  }

  private async run(): Promise<void> {
    for (let n = 0; this.running; n++) {
      while (!(await this.post(n))) await delay(this.pauseMs)
      this.acknowledged.add(n)
      await delay(this.pauseMs)
    }
  }

  private async post(n: number): Promise<boolean> {
    this.sends.set(n, (this.sends.get(n) ?? 0) + 1)
    const { productKey, deviceNo, secret } = this.device
    const began = performance.now()
    try {
      const reply = await fetch(`${this.url}/device/v1/${productKey}/${deviceNo}/property`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(this.givesTimes ? { ts: this.base + n, values: { n } } : { n }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      await reply.arrayBuffer()
      if (reply.ok) this.servedUntil = began
      return reply.ok
    } catch {
      return false
    }
  }
}
