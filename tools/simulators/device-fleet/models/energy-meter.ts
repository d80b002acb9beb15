import { drift, outdoorTemperature, working } from './climate.ts'
import {
  approach,
  clamp,
  HOUR,
  MINUTE,
  type PhysicalModel,
  type PhysicalState,
  refuse,
  round,
  SECOND,
  traitNumber,
} from './physical-model.ts'
import type { Rng } from './rng.ts'

const PHASES = ['a', 'b', 'c'] as const
const LOW_VOLTAGE = 198

interface Phase {
  voltage: number
  current: number
}

export interface EnergyMeterState extends PhysicalState {
  /** Size of the consumer: load at full work, kW. */
  size: number
  /** Share of the load that runs day and night. */
  base: number
  salt: number
  a: Phase
  b: Phase
  c: Phase
  powerFactor: number
  frequency: number
  powerKw: number
  /** Watt hours since the meter was made; only ever grows. */
  energyWh: number
  /** Highest 15-minute mean, kW. */
  demandKw: number
  demandMaxKw: number
  demandLimitKw: number
  relay: boolean
  sagUntil: number
  lastSagAt: number
  terminalTemperature: number
}

/** A three-phase meter in front of an office or workshop. */
export const energyMeter: PhysicalModel<EnergyMeterState> = {
  kind: 'energy_meter',
  intervalMs: 15 * SECOND,

  create(site, rng) {
    const { at } = site
    const size = traitNumber(site, 'size', Math.round(rng.between(15, 90)))
    return {
      at,
      size,
      base: site.traits?.round_the_clock === true ? 0.8 : rng.between(0.12, 0.3),
      salt: Math.floor(rng.next() * 1e6),
      a: { voltage: 230, current: 0 },
      b: { voltage: 230, current: 0 },
      c: { voltage: 230, current: 0 },
      powerFactor: 0.95,
      frequency: 50,
      powerKw: 0,
      energyWh: Math.round(rng.between(5e6, 9e7)),
      demandKw: 0,
      demandMaxKw: 0,
      demandLimitKw: size,
      relay: true,
      sagUntil: 0,
      lastSagAt: at - Math.round(rng.between(3, 40)) * 24 * HOUR,
      terminalTemperature: 25,
    }
  },

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    const sag = at > s.sagUntil && rng.happens(60 * HOUR, dtMs)
    const sagUntil = sag ? at + Math.round(rng.between(2, 90)) * SECOND : s.sagUntil
    const sagging = at <= sagUntil
    const load = s.relay
      ? s.size * (s.base + (0.9 - s.base) * working(at) * (0.85 + 0.15 * drift(at, 20 * MINUTE, s.salt)))
      : 0
    const powerFactor = clamp(0.93 + 0.04 * drift(at, 45 * MINUTE, s.salt + 1), 0.8, 1)
    const a = phaseAt(0, at, load, powerFactor, sagging, s.salt, rng)
    const b = phaseAt(1, at, load, powerFactor, sagging, s.salt, rng)
    const c = phaseAt(2, at, load, powerFactor, sagging, s.salt, rng)
    const powerKw = (a.voltage * a.current + b.voltage * b.current + c.voltage * c.current) * (powerFactor / 1000)
    const demandKw = approach(s.demandKw, powerKw, 8 * MINUTE, dtMs)
    return {
      at,
      size: s.size,
      base: s.base,
      salt: s.salt,
      a,
      b,
      c,
      powerFactor,
      frequency: 50 + 0.03 * drift(at, 5 * MINUTE, 3) + 0.005 * rng.noise(),
      powerKw,
      energyWh: s.energyWh + powerKw * 1000 * (dtMs / HOUR),
      demandKw,
      demandMaxKw: Math.max(s.demandMaxKw, demandKw),
      demandLimitKw: s.demandLimitKw,
      relay: s.relay,
      sagUntil,
      lastSagAt: sag ? at : s.lastSagAt,
      terminalTemperature: approach(s.terminalTemperature, outdoorTemperature(at) + 8 + 0.2 * load, HOUR, dtMs),
    }
  },

  report: s => ({
    voltage_a: round(s.a.voltage, 1),
    voltage_b: round(s.b.voltage, 1),
    voltage_c: round(s.c.voltage, 1),
    current_a: round(s.a.current, 2),
    current_b: round(s.b.current, 2),
    current_c: round(s.c.current, 2),
    power: round(s.powerKw, 3),
    power_factor: round(s.powerFactor, 3),
    frequency: round(s.frequency, 2),
    energy: round(s.energyWh / 1000, 2),
    energy_wh: Math.floor(s.energyWh),
    demand_max: round(s.demandMaxKw, 2),
    demand_limit: s.demandLimitKw,
    relay: s.relay,
    terminal_temperature: round(s.terminalTemperature, 1),
    last_sag_at: s.lastSagAt,
  }),

  writable: {
    relay: (s, value) => ({ ...s, relay: value === true }),
    demand_limit: (s, value) => ({ ...s, demandLimitKw: clamp(Number(value), 1, 500) }),
  },

  services: {
    reset_demand: s => ({
      state: { ...s, demandMaxKw: s.demandKw },
      outcome: { code: 0, data: { previous: round(s.demandMaxKw, 2) } },
    }),
    read_registers(s, input) {
      const first = typeof input.first === 'number' ? input.first : 0
      const count = typeof input.count === 'number' ? input.count : 6
      if (first + count > 6) return refuse(s, 'registers 0 to 5 exist', 2)
      const words = [s.a.voltage, s.b.voltage, s.c.voltage, s.a.current, s.b.current, s.c.current]
      const registers = Buffer.alloc(count * 2)
      words.slice(first, first + count).forEach((word, i) => {
        registers.writeUInt16BE(Math.round(word * 10) & 0xffff, i * 2)
      })
      return { state: s, outcome: { code: 0, data: { registers: registers.toString('hex') } } }
    },
  },

  events(before, after) {
    const events = []
    for (const phase of PHASES) {
      const { voltage } = after[phase]
      if (before[phase].voltage >= LOW_VOLTAGE && voltage < LOW_VOLTAGE) {
        events.push({ identifier: 'voltage_sag', params: { phase, voltage: round(voltage, 1) } })
      }
    }
    if (before.demandKw <= before.demandLimitKw && after.demandKw > after.demandLimitKw) {
      const params = { demand: round(after.demandKw, 2), limit: after.demandLimitKw }
      events.push({ identifier: 'demand_exceeded', params })
    }
    return events
  },
}

function phaseAt(
  i: number,
  at: number,
  load: number,
  powerFactor: number,
  sagging: boolean,
  salt: number,
  rng: Rng,
): Phase {
  const share = (1 + 0.06 * drift(at, 30 * MINUTE, salt + 10 + i)) / 3
  const nominal = 231 + 2.5 * drift(at, 2 * HOUR, 20 + i) - 0.02 * load + 0.3 * rng.noise()
  // A sag hits the first phase hardest.
  const voltage = sagging ? nominal * (i === 0 ? 0.78 : 0.92) : nominal
  const current = load === 0 ? 0 : Math.max(0, ((load * 1000 * share) / (230 * powerFactor)) * (1 + 0.01 * rng.noise()))
  return { voltage, current }
}
