import type { Outcome, Values } from './models/physical-model.ts'
import type { SimulatedDevice } from './models/simulation.ts'

export interface CommandReply {
  /** Topic below the device's prefix. */
  suffix: string
  payload: string
  /** False when the command was seen before and only the reply is repeated. */
  executed: boolean
}

const MALFORMED = 400
/** Commands come at QoS 1, so twice is possible; this many are remembered. */
const REMEMBERED = 32

/** Carries out what the platform asks of a device and words the reply. Every id is carried out once. */
export class CommandHandler {
  readonly #device: SimulatedDevice
  readonly #answered = new Map<string, CommandReply>()

  constructor(device: SimulatedDevice) {
    this.#device = device
  }

  /** @returns null when the topic is none that asks for something */
  handle(suffix: string, payload: Buffer): CommandReply | null {
    const service = /^service\/([^/]+)\/invoke$/.exec(suffix)?.[1]
    if (suffix !== 'property/set' && service === undefined) return null
    const replySuffix = service === undefined ? 'property/set_reply' : `service/${service}/invoke_reply`
    const request = parseRequest(payload)
    if (!request) {
      const text = JSON.stringify({ id: '', code: MALFORMED, message: 'malformed request' })
      return { suffix: replySuffix, payload: text, executed: false }
    }
    const known = this.#answered.get(request.id)
    if (known) return { ...known, executed: false }
    const outcome: Outcome =
      service === undefined ? this.#device.set(request.params) : this.#device.invoke(service, request.params)
    const reply = { suffix: replySuffix, payload: JSON.stringify({ id: request.id, ...outcome }), executed: true }
    this.#answered.set(request.id, reply)
    if (this.#answered.size > REMEMBERED) {
      for (const oldest of this.#answered.keys()) {
        this.#answered.delete(oldest)
        break
      }
    }
    return reply
  }
}

function parseRequest(payload: Buffer): { id: string; params: Values } | null {
  try {
    const body = JSON.parse(payload.toString()) as unknown
    if (typeof body !== 'object' || body === null) return null
    const { id, params } = body as { id?: unknown; params?: unknown }
    if (typeof id !== 'string') return null
    const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
    return { id, params: isObject ? (params as Values) : {} }
  } catch {
    return null
  }
}
