import { drift, outdoorTemperature, waterDemand } from './climate.ts'
import {
  approach,
  clamp,
  HOUR,
  MINUTE,
  type PhysicalModel,
  type PhysicalState,
  round,
  SECOND,
  traitNumber,
} from './physical-model.ts'

export interface FlowMeterState extends PhysicalState {
  /** m³/h */
  flow: number
  /** m³ since it was built in. */
  total: number
  /** Strength of the ultrasound that arrives, percent. */
  signal: number
  /** Of the water, °C. */
  temperature: number
  /** Air in the pipe weakens the signal until then. */
  airUntil: number
  nominal: number
  salt: number
}

/** An ultrasonic flow meter clamped to a main: it only tells, nothing on it can be set. */
export const flowMeter: PhysicalModel<FlowMeterState> = {
  kind: 'flow_meter',
  intervalMs: 10 * SECOND,

  create(site, rng) {
    const nominal = traitNumber(site, 'nominal', 80)
    return {
      at: site.at,
      flow: nominal * waterDemand(site.at),
      total: Math.round(rng.between(20_000, 400_000)),
      signal: rng.between(82, 94),
      temperature: 0.5 * outdoorTemperature(site.at) + 8,
      airUntil: 0,
      nominal,
      salt: Math.floor(rng.next() * 1_000),
    }
  },

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    const airUntil = rng.happens(5 * HOUR, dtMs) ? at + Math.round(rng.between(1, 5)) * MINUTE : s.airUntil
    const drawn = s.nominal * waterDemand(at) * (1 + 0.12 * drift(at, 3 * MINUTE, s.salt))
    // A main is sluggish: valves and tanks behind it smooth what the town draws.
    const flow = Math.max(0, approach(s.flow, drawn, 25 * SECOND, dtMs) * (1 + 0.004 * rng.noise()))
    const clear = 90 + 5 * drift(at, HOUR, s.salt + 1)
    return {
      at,
      flow,
      total: s.total + (((s.flow + flow) / 2) * dtMs) / HOUR,
      signal: clamp(
        approach(s.signal, at < airUntil ? clear - 35 : clear, 20 * SECOND, dtMs) + 0.3 * rng.noise(),
        0,
        99,
      ),
      temperature: approach(s.temperature, 0.5 * outdoorTemperature(at) + 8, 8 * HOUR, dtMs),
      airUntil,
      nominal: s.nominal,
      salt: s.salt,
    }
  },

  report: s => ({
    flow: round(s.flow, 2),
    total: round(s.total, 3),
    signal: Math.round(s.signal),
    temperature: round(s.temperature, 1),
  }),

  writable: {},
  services: {},
  // Its frame has no place for one.
  events: () => [],
}
