import type { EmittedEvent, Outcome, PhysicalModel, PhysicalState, Site, Values } from './physical-model.ts'
import { MINUTE } from './physical-model.ts'
import { Rng } from './rng.ts'

/** Everything a device is, as JSON. States are never changed in place, so a snapshot needs no copy. */
export interface SimulationSnapshot {
  rng: number
  state: PhysicalState
}

/** One device alive, whatever its kind. */
export interface SimulatedDevice {
  readonly kind: string
  readonly intervalMs: number
  /** The time up to which it has lived. */
  readonly at: number
  /** Lives on to the given time in steps of at most a minute; gives back what it announced on the way. */
  advance(to: number): EmittedEvent[]
  report(): Values
  /** Sets all of the properties, or none when one is refused. */
  set(params: Values): Outcome
  invoke(service: string, input: Values): Outcome
  snapshot(): SimulationSnapshot
}

const LONGEST_STEP_MS = MINUTE

/** Code of a reply to what the device does not know. */
export const UNKNOWN = 404

export class Simulation<S extends PhysicalState> implements SimulatedDevice {
  readonly #model: PhysicalModel<S>
  readonly #rng: Rng
  #state: S
  /** The state up to which events were announced; behind `#state` after a command. */
  #announced: S

  constructor(model: PhysicalModel<S>, start: { seed: number; site: Site } | { snapshot: SimulationSnapshot }) {
    this.#model = model
    if ('snapshot' in start) {
      this.#rng = new Rng(start.snapshot.rng)
      this.#state = start.snapshot.state as S
    } else {
      this.#rng = new Rng(start.seed)
      this.#state = model.create(start.site, this.#rng)
    }
    this.#announced = this.#state
  }

  get kind(): string {
    return this.#model.kind
  }

  get intervalMs(): number {
    return this.#model.intervalMs
  }

  get at(): number {
    return this.#state.at
  }

  advance(to: number): EmittedEvent[] {
    const events: EmittedEvent[] = []
    while (this.#state.at < to) {
      this.#state = this.#model.step(this.#state, Math.min(LONGEST_STEP_MS, to - this.#state.at), this.#rng)
      events.push(...this.#model.events(this.#announced, this.#state))
      this.#announced = this.#state
    }
    return events
  }

  report(): Values {
    return this.#model.report(this.#state)
  }

  set(params: Values): Outcome {
    let state = this.#state
    for (const [identifier, value] of Object.entries(params)) {
      if (!Object.hasOwn(this.#model.writable, identifier)) {
        return { code: UNKNOWN, message: `no writable property ${identifier}` }
      }
      const next = this.#model.writable[identifier]!(state, value)
      if (typeof next === 'string') return { code: 1, message: next }
      state = next
    }
    this.#state = state
    return { code: 0 }
  }

  invoke(service: string, input: Values): Outcome {
    if (!Object.hasOwn(this.#model.services, service)) return { code: UNKNOWN, message: `no service ${service}` }
    const { state, outcome } = this.#model.services[service]!(this.#state, input)
    this.#state = state
    return outcome
  }

  snapshot(): SimulationSnapshot {
    return { rng: this.#rng.state, state: this.#state }
  }
}
