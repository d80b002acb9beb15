import { drift, outdoorTemperature, waterDemand } from './climate.ts'
import {
  approach,
  HOUR,
  MINUTE,
  type PhysicalModel,
  type PhysicalState,
  round,
  SECOND,
  traitNumber,
} from './physical-model.ts'

/** Frequency that the motor is made for, and the highest it may be driven at, Hz. */
const RATED_HZ = 50
export const HIGHEST_HZ = 60
export const DriveFault = { none: 0, overcurrent: 1, undervoltage: 2, overheated: 3 } as const
const TRIPS = [DriveFault.overcurrent, DriveFault.undervoltage] as const
const OVERHEATED_C = 85
const COOLED_C = 60

export interface PumpDriveState extends PhysicalState {
  /** Told to run; a fault stops it all the same. */
  run: boolean
  setpointHz: number
  /** Time from standstill to 50 Hz. */
  rampSeconds: number
  frequencyHz: number
  powerKw: number
  currentA: number
  busVoltage: number
  heatSinkC: number
  fault: number
  faultUntil: number
  runMs: number
  ratedKw: number
  /** Tells drives apart where they look at the same weather and the same town. */
  salt: number
  /** Never trips by chance: for who looks at it closely. */
  steady?: boolean
}

/** A frequency converter that drives a pump of a waterworks: three-phase 380 V, a centrifugal load. */
export const pumpDrive: PhysicalModel<PumpDriveState> = {
  kind: 'pump_drive',
  intervalMs: 5 * SECOND,

  create(site, rng) {
    const run = site.traits?.standby !== true
    const setpointHz = round(rng.between(36, 46), 1)
    return {
      at: site.at,
      run,
      setpointHz,
      rampSeconds: 20,
      frequencyHz: run ? setpointHz : 0,
      powerKw: 0,
      currentA: 0,
      busVoltage: 537,
      heatSinkC: outdoorTemperature(site.at) + 12,
      fault: DriveFault.none,
      faultUntil: 0,
      runMs: Math.round(rng.between(900, 18_000)) * HOUR,
      ratedKw: traitNumber(site, 'rated_kw', 22),
      salt: Math.floor(rng.next() * 1_000),
      ...(site.traits?.steady === true ? { steady: true } : {}),
    }
  },

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    let { fault, faultUntil } = s
    if (fault !== DriveFault.none && at >= faultUntil && s.heatSinkC < COOLED_C) fault = DriveFault.none
    const turning = s.run && fault === DriveFault.none
    if (turning && s.heatSinkC > OVERHEATED_C) fault = DriveFault.overheated
    else if (turning && !s.steady && rng.happens(60 * HOUR, dtMs)) fault = TRIPS[Math.floor(rng.next() * TRIPS.length)]!
    if (fault !== DriveFault.none && s.fault === DriveFault.none) {
      faultUntil = at + Math.round(rng.between(2, 6)) * MINUTE
    }
    const driven = s.run && fault === DriveFault.none
    const reach = (RATED_HZ / s.rampSeconds) * (dtMs / SECOND)
    // Without current the pump runs out against its water within seconds.
    const frequencyHz =
      fault === DriveFault.none
        ? towards(s.frequencyHz, s.run ? s.setpointHz : 0, reach)
        : approach(s.frequencyHz, 0, SECOND, dtMs)
    const speed = frequencyHz / RATED_HZ
    // Affinity laws: power goes with the cube of the speed; what the town draws bends it a little.
    const load = (0.62 + 0.22 * waterDemand(at) + 0.03 * drift(at, 4 * MINUTE, s.salt)) * speed ** 3
    const powerKw = driven ? s.ratedKw * (0.02 + load) * (1 + 0.008 * rng.noise()) : 0
    const meanHz = (s.frequencyHz + frequencyHz) / 2
    return {
      at,
      run: s.run,
      setpointHz: s.setpointHz,
      rampSeconds: s.rampSeconds,
      frequencyHz: frequencyHz < 0.01 ? 0 : frequencyHz,
      powerKw,
      // 1.9 A a kW at full load, a third of it magnetises the motor at any.
      currentA: driven && frequencyHz > 0.5 ? 1.9 * s.ratedKw * Math.hypot(0.32, load) * (1 + 0.01 * rng.noise()) : 0,
      busVoltage: 537 + 9 * drift(at, 7 * MINUTE, s.salt + 1) - 6 * load + 0.8 * rng.noise(),
      heatSinkC: approach(s.heatSinkC, outdoorTemperature(at) + 12 + 26 * load, 12 * MINUTE, dtMs),
      fault,
      faultUntil,
      runMs: s.runMs + (driven && meanHz > 0.5 ? dtMs : 0),
      ratedKw: s.ratedKw,
      salt: s.salt,
      ...(s.steady ? { steady: true } : {}),
    }
  },

  report: s => ({
    run: s.run,
    speed_setpoint: s.setpointHz,
    ramp_time: s.rampSeconds,
    frequency: round(s.frequencyHz, 2),
    current: round(s.currentA, 1),
    bus_voltage: round(s.busVoltage, 1),
    power: round(s.powerKw, 3),
    run_hours: round(s.runMs / HOUR, 2),
    temperature: round(s.heatSinkC, 1),
    fault_code: s.fault,
  }),

  writable: {
    // Stop also acknowledges a fault, as the key on the panel does.
    run: (s, value) => (value === true ? { ...s, run: true } : { ...s, run: false, fault: DriveFault.none }),
    speed_setpoint: (s, value) =>
      isWithin(value, 0, HIGHEST_HZ)
        ? { ...s, setpointHz: round(value, 2) }
        : `the set point must lie within 0 and ${HIGHEST_HZ} Hz`,
    ramp_time: (s, value) =>
      isWithin(value, 1, 600)
        ? { ...s, rampSeconds: round(value, 1) }
        : 'the ramp time must lie within 1 and 600 seconds',
  },

  services: {},
  // Modbus has no word for an event: a master sees the fault code when it asks.
  events: () => [],
}

function towards(value: number, target: number, most: number): number {
  return value < target ? Math.min(target, value + most) : Math.max(target, value - most)
}

function isWithin(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high
}
