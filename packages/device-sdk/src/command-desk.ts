import type { CommandRequest } from './channel.ts'
import type { Values } from './device.ts'
import { CommandRefusal } from './errors.ts'

export interface CommandContext {
  /** Id of the command in the platform. */
  id: string
}

/**
 * Carries out a property set, now or as a promise. An object it gives back is reported as the new values; it may give
 * nothing and report later. Throw a {@link CommandRefusal} to refuse.
 */
export type PropertySetHandler = (params: Values, context: CommandContext) => unknown

/** Carries out a service call, now or as a promise; an object it gives back is the output. Refusing as above. */
export type ServiceHandler = (params: Values, context: CommandContext) => unknown

interface Reply {
  id: string
  code: number
  message?: string
  data?: Values
}

/** No handler for what was asked. */
const NOT_SUPPORTED = 404
/** A handler failed in a way it did not foresee. */
const FAILED = 500
const REMEMBERED = 64

/** Gives commands to their handlers and their answers back, each id once however often it comes. */
export class CommandDesk {
  readonly #services = new Map<string, ServiceHandler>()
  readonly #answers = new Map<string, Promise<string>>()
  readonly #report: (values: Values) => void
  readonly #ready: Promise<void> | null
  #propertySet: PropertySetHandler | null = null

  /** @param ready Commands wait for it: whoever has just been given his device has not named his handlers yet. */
  constructor(report: (values: Values) => void, ready: Promise<void> | null) {
    this.#report = report
    this.#ready = ready
  }

  onPropertySet(handler: PropertySetHandler): void {
    this.#propertySet = handler
  }

  onService(identifier: string, handler: ServiceHandler): void {
    this.#services.set(identifier, handler)
  }

  /** The reply's JSON text. Never rejects. */
  handle(request: CommandRequest): Promise<string> {
    const known = this.#answers.get(request.id)
    if (known) return known
    const answer = this.#carryOut(request).then(reply => JSON.stringify(reply))
    this.#answers.set(request.id, answer)
    if (this.#answers.size > REMEMBERED) {
      for (const oldest of this.#answers.keys()) {
        this.#answers.delete(oldest)
        break
      }
    }
    return answer
  }

  async #carryOut({ id, kind, identifier, params }: CommandRequest): Promise<Reply> {
    if (this.#ready) await this.#ready
    const handler = kind === 'service' ? this.#services.get(identifier) : this.#propertySet
    if (!handler) return { id, code: NOT_SUPPORTED, message: `${kind} is not supported by this device` }
    try {
      const result = await handler(params, { id })
      const values = isValues(result) ? result : null
      if (kind === 'service') return { id, code: 0, ...(values ? { data: values } : {}) }
      if (values) this.#report(values)
      return { id, code: 0 }
    } catch (error) {
      const code = error instanceof CommandRefusal ? error.code : FAILED
      return { id, code, message: error instanceof Error ? error.message : String(error) }
    }
  }
}

function isValues(result: unknown): result is Values {
  return typeof result === 'object' && result !== null && !Array.isArray(result)
}
