import { outdoorTemperature, waterDemand } from './climate.ts'
import {
  approach,
  clamp,
  HOUR,
  inputNumber,
  MINUTE,
  type PhysicalModel,
  type PhysicalState,
  refuse,
  round,
  SECOND,
} from './physical-model.ts'

/** Inside height and floor area of the tank. */
export const TANK_HEIGHT_M = 4
const AREA_M2 = 3
const PUMP_L_PER_MIN = 180
const DRAIN_L_PER_MIN = 150
const FLUSH_L_PER_MIN = 220
const HIGH_M = 3.7
const LOW_M = 0.5

export interface TankState extends PhysicalState {
  level: number
  temperature: number
  pump: boolean
  /** How far the pump is up to speed, 0..1. */
  spin: number
  inflow: number
  outflow: number
  /** Opening of the outlet, percent. */
  valve: number
  automatic: boolean
  startLevel: number
  stopLevel: number
  runMs: number
  flushUntil: number
}

/** A water tank: a pump fills it, a settlement draws from it through a valve. */
export const tank: PhysicalModel<TankState> = {
  kind: 'tank',
  intervalMs: 5 * SECOND,

  create: ({ at }, rng) => ({
    at,
    level: rng.between(1.3, 3),
    temperature: 0.5 * outdoorTemperature(at) + 8,
    pump: false,
    spin: 0,
    inflow: 0,
    outflow: 0,
    valve: Math.round(rng.between(9, 15)) * 5,
    automatic: true,
    startLevel: 1.2,
    stopLevel: 3.2,
    runMs: Math.round(rng.between(400, 4000)) * HOUR,
    flushUntil: 0,
  }),

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    let pump = s.pump
    if (s.automatic) {
      if (s.level <= s.startLevel) pump = true
      else if (s.level >= s.stopLevel) pump = false
    }
    // The float switch at the rim stops the pump in every mode.
    if (s.level >= TANK_HEIGHT_M - 0.02) pump = false
    const spin = approach(s.spin, pump ? 1 : 0, 4 * SECOND, dtMs)
    const inflow = spin < 0.01 ? 0 : PUMP_L_PER_MIN * spin * (1 + 0.01 * rng.noise())
    const head = Math.sqrt(Math.max(0, s.level) / TANK_HEIGHT_M)
    const drawn = DRAIN_L_PER_MIN * (s.valve / 100) * waterDemand(at) * (1 + 0.06 * rng.noise())
    const flushed = at <= s.flushUntil ? FLUSH_L_PER_MIN : 0
    const outflow = Math.max(0, (drawn + flushed) * head)
    const level = clamp(s.level + (((inflow - outflow) / 1000) * (dtMs / MINUTE)) / AREA_M2, 0, TANK_HEIGHT_M)
    return {
      at,
      level,
      pump,
      spin,
      inflow,
      outflow,
      temperature: approach(s.temperature, 0.5 * outdoorTemperature(at) + 8, 12 * HOUR, dtMs),
      valve: s.valve,
      automatic: s.automatic,
      startLevel: s.startLevel,
      stopLevel: s.stopLevel,
      runMs: s.runMs + (pump ? dtMs : 0),
      flushUntil: s.flushUntil,
    }
  },

  report: s => ({
    level: round(s.level, 3),
    fill: round((s.level / TANK_HEIGHT_M) * 100, 1),
    temperature: round(s.temperature, 1),
    inflow: round(s.inflow, 1),
    outflow: round(s.outflow, 1),
    pump: s.pump,
    pump_current: round(s.spin < 0.01 ? 0 : 2.1 + 4.4 * s.spin, 2),
    valve: s.valve,
    mode: s.automatic ? 1 : 0,
    start_level: s.startLevel,
    stop_level: s.stopLevel,
    run_hours: round(s.runMs / HOUR, 2),
  }),

  writable: {
    // Switching by hand takes the tank out of automatic mode, as the selector on its cabinet does.
    pump: (s, value) => ({ ...s, pump: value === true, automatic: false }),
    valve: (s, value) => ({ ...s, valve: clamp(Number(value), 0, 100) }),
    mode: (s, value) => ({ ...s, automatic: value === 1 }),
    start_level: (s, value) =>
      Number(value) < s.stopLevel ? { ...s, startLevel: Number(value) } : 'start level must be below stop level',
    stop_level: (s, value) =>
      Number(value) > s.startLevel ? { ...s, stopLevel: Number(value) } : 'stop level must be above start level',
  },

  services: {
    flush(s, input) {
      if (s.level < LOW_M) return refuse(s, 'level too low to flush')
      const seconds = inputNumber(input, 'seconds', 60, 10, 600)
      const litres = round((FLUSH_L_PER_MIN * Math.sqrt(s.level / TANK_HEIGHT_M) * seconds) / 60, 0)
      return { state: { ...s, flushUntil: s.at + seconds * SECOND }, outcome: { code: 0, data: { litres } } }
    },
    reset_run_hours: s => ({
      state: { ...s, runMs: 0 },
      outcome: { code: 0, data: { hours: round(s.runMs / HOUR, 2) } },
    }),
  },

  events(before, after) {
    const events = []
    if (before.level < HIGH_M && after.level >= HIGH_M) {
      events.push({ identifier: 'level_high', params: { level: round(after.level, 3) } })
    }
    if (before.level > LOW_M && after.level <= LOW_M) {
      events.push({ identifier: 'level_low', params: { level: round(after.level, 3) } })
    }
    if (before.pump !== after.pump) {
      events.push({ identifier: 'pump_switched', params: { on: after.pump, level: round(after.level, 3) } })
    }
    return events
  },
}
