import type { ChunkAsk, FirmwareLink, FirmwareProgress, ReceivedChunk } from '@thingwright/device-sdk/firmware/link'
import { parseObject } from '@thingwright/device-sdk/json'

type Post = (suffix: string, payload: string, acknowledged: () => void) => boolean

const PULL_MS = 10_000

interface Waiting {
  suffix: string
  payload: string
  resolve(): void
  reject(error: Error): void
}

/** Firmware over a simulated device's connection: what cannot be sent now waits in order. */
export class UnitLink implements FirmwareLink {
  readonly productKey: string
  readonly #post: Post
  #waiting: Waiting[] = []
  /** Waiting, or sent and not acknowledged. */
  readonly #open = new Set<Waiting>()
  #notify: (payload: Record<string, unknown>) => void = () => {}
  #chunk: (chunk: ReceivedChunk) => void = () => {}
  #pulls: ((payload: Record<string, unknown> | null) => void)[] = []

  constructor(productKey: string, post: Post) {
    this.productKey = productKey
    this.#post = post
  }

  inform(module: string, version: string): Promise<void> {
    return this.#say('ota/inform', { module, version })
  }

  progress(report: FirmwareProgress): Promise<void> {
    return this.#say('ota/progress', report)
  }

  pull(module: string): Promise<Record<string, unknown> | null> {
    const answered = new Promise<Record<string, unknown> | null>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pulls = this.#pulls.filter(pull => pull !== settle)
        reject(new Error('no answer'))
      }, PULL_MS)
      const settle = (body: Record<string, unknown> | null): void => {
        clearTimeout(timer)
        resolve(body)
      }
      this.#pulls.push(settle)
    })
    this.#say('ota/pull', { module }).catch(() => undefined)
    return answered
  }

  readonly request = (ask: ChunkAsk): void => {
    this.#say('ota/request', ask).catch(() => undefined)
  }

  onNotify(handler: (payload: Record<string, unknown>) => void): void {
    this.#notify = handler
  }

  onChunk(handler: (chunk: ReceivedChunk) => void): void {
    this.#chunk = handler
  }

  receive(suffix: string, payload: Buffer): void {
    const [, id, place] = /^ota\/data\/([^/]+)\/(\d+|refused)$/.exec(suffix) ?? []
    if (id && place) {
      const { offset, code } = place === 'refused' ? (parseObject(payload.toString()) ?? {}) : {}
      if (place === 'refused') this.#chunk({ id, offset: Number(offset), bytes: null, code: String(code) })
      else this.#chunk({ id, offset: Number(place), bytes: payload })
      return
    }
    const body = suffix === 'ota/notify' ? parseObject(payload.toString()) : null
    if (!body) return
    const asked = this.#pulls.shift()
    if (asked) asked(body)
    else this.#notify(body)
  }

  flush(): void {
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0]!
      const sent = this.#post(next.suffix, next.payload, () => {
        if (this.#open.delete(next)) next.resolve()
      })
      if (!sent) return
      this.#waiting.shift()
    }
  }

  /** A reset: what was not acknowledged is forgotten. */
  clear(): void {
    const open = [...this.#open]
    this.#open.clear()
    this.#waiting = []
    for (const settle of this.#pulls.splice(0)) settle(null)
    for (const { reject } of open) reject(new Error('reset'))
    this.#notify = () => {}
    this.#chunk = () => {}
  }

  #say(suffix: string, body: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { suffix, payload: JSON.stringify(body), resolve, reject }
      this.#waiting.push(waiting)
      this.#open.add(waiting)
      this.flush()
    })
  }
}
