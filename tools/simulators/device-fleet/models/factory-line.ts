import { drift, localHour, localWeekday, outdoorTemperature } from './climate.ts'
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
  type Values,
} from './physical-model.ts'

export const LineStatus = { stopped: 0, running: 1, starved: 2, fault: 3, emergency: 4 } as const
const FAULTS = ['jam', 'overload', 'sensor', 'guard_open'] as const
const BATCH = 500
const BANDS = 6

export interface FactoryLineState extends PhysicalState {
  status: number
  /** Pieces a minute. */
  speed: number
  targetSpeed: number
  /** Started by hand; outside the shifts it stops by itself. */
  enabled: boolean
  /** Pieces since the line was built, with the fraction under way. */
  pieces: number
  rejects: number
  batchRejects: number
  batch: number
  faultCode: string
  /** End of the present fault or shortage. */
  troubleUntil: number
  emergencyAt: number
  motorTemperature: number
  wear: number
  vibration: number[]
  recipe: string
}

/** A packing line in two shifts, with shortages, faults and a red button. */
export const factoryLine: PhysicalModel<FactoryLineState> = {
  kind: 'factory_line',
  intervalMs: 4 * SECOND,

  create: ({ at }, rng) => ({
    at,
    status: LineStatus.stopped,
    speed: 0,
    targetSpeed: Math.round(rng.between(8, 16)) * 5,
    enabled: true,
    pieces: Math.round(rng.between(1e5, 9e6)),
    rejects: 0,
    batchRejects: 0,
    batch: Math.round(rng.between(100, 900)),
    faultCode: '',
    troubleUntil: 0,
    emergencyAt: 0,
    motorTemperature: 25,
    wear: rng.between(0.1, 0.6),
    vibration: new Array<number>(BANDS).fill(0),
    recipe: 'A-200',
  }),

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    let { status, faultCode, troubleUntil } = s
    if (status !== LineStatus.emergency) {
      if (troubleUntil > 0 && at >= troubleUntil) {
        troubleUntil = 0
        faultCode = ''
      }
      if (troubleUntil === 0) {
        status = s.enabled && onShift(at) ? LineStatus.running : LineStatus.stopped
        if (status === LineStatus.running && rng.happens(7 * HOUR, dtMs)) {
          status = LineStatus.fault
          faultCode = FAULTS[Math.floor(rng.next() * FAULTS.length)]!
          troubleUntil = at + Math.round(rng.between(2, 9)) * MINUTE
        } else if (status === LineStatus.running && rng.happens(1.5 * HOUR, dtMs)) {
          status = LineStatus.starved
          troubleUntil = at + Math.round(rng.between(20, 90)) * SECOND
        }
      }
    }
    const running = status === LineStatus.running
    const goal = running ? s.targetSpeed * (1 + 0.02 * drift(at, 10 * MINUTE, s.batch)) : 0
    const tau = status === LineStatus.emergency ? SECOND : 8 * SECOND
    const speed = Math.max(0, approach(s.speed, goal, tau, dtMs))
    const made = (((s.speed + speed) / 2) * dtMs) / MINUTE
    const pieces = s.pieces + made
    const finished = Math.floor(pieces) - Math.floor(s.pieces)
    let rejected = 0
    for (let i = 0; i < finished; i++) if (rng.next() < 0.012 + 0.02 * s.wear) rejected++
    const newBatch = Math.floor(pieces / BATCH) > Math.floor(s.pieces / BATCH)
    return {
      at,
      status,
      faultCode,
      troubleUntil,
      speed: speed < 0.05 ? 0 : speed,
      targetSpeed: s.targetSpeed,
      enabled: s.enabled,
      pieces,
      rejects: s.rejects + rejected,
      batchRejects: newBatch ? 0 : s.batchRejects + rejected,
      batch: newBatch ? s.batch + 1 : s.batch,
      emergencyAt: s.emergencyAt,
      motorTemperature:
        approach(s.motorTemperature, outdoorTemperature(at) + 10 + 0.35 * speed, 25 * MINUTE, dtMs) +
        0.03 * rng.noise(),
      wear: Math.min(1, s.wear + (running ? dtMs / (4000 * HOUR) : 0)),
      vibration: s.vibration.map((_, band) => {
        const size = (0.3 + 2.2 * s.wear * Math.exp(-((band - 2) ** 2))) * (speed / 60)
        return Math.max(0.01, size * (1 + 0.1 * rng.noise()))
      }),
      recipe: s.recipe,
    }
  },

  report: s => ({
    status: s.status,
    speed: round(s.speed, 1),
    target_speed: s.targetSpeed,
    count: Math.floor(s.pieces),
    rejects: s.rejects,
    batch: s.batch,
    motor_temperature: round(s.motorTemperature, 1),
    vibration: s.vibration.map(value => round(value, 2)),
    diagnostics: { wear: round(s.wear, 3), fault: s.faultCode, bearing: s.wear > 0.8 ? 'replace' : 'good' },
    enabled: s.enabled,
    recipe: s.recipe,
  }),

  writable: {
    target_speed: (s, value) => ({ ...s, targetSpeed: clamp(Number(value), 0, 120) }),
    enabled: (s, value) =>
      value === true && s.status === LineStatus.emergency
        ? 'emergency stop is pressed'
        : { ...s, enabled: value === true },
    recipe: (s, value) =>
      s.status === LineStatus.running ? 'stop the line before changing the recipe' : { ...s, recipe: String(value) },
  },

  services: {
    emergency_stop: s => ({
      state: { ...s, status: LineStatus.emergency, emergencyAt: s.at, troubleUntil: 0, faultCode: 'emergency' },
      outcome: { code: 0, data: { stopped_at: s.at, count: Math.floor(s.pieces) } },
    }),
    reset(s) {
      if (s.status !== LineStatus.emergency && s.status !== LineStatus.fault) return refuse(s, 'nothing to reset')
      return {
        state: { ...s, status: LineStatus.stopped, troubleUntil: 0, faultCode: '', emergencyAt: 0 },
        outcome: { code: 0 },
      }
    },
  },

  events(before, after) {
    const events: { identifier: string; params: Values }[] = []
    if (before.status !== after.status && after.status === LineStatus.fault) {
      const params = { code: after.faultCode, motor_temperature: round(after.motorTemperature, 1) }
      events.push({ identifier: 'fault', params })
    }
    if (before.status !== after.status && after.status === LineStatus.emergency) {
      events.push({ identifier: 'emergency_stopped', params: { count: Math.floor(after.pieces) } })
    }
    if (before.batch < after.batch) {
      const params = { batch: before.batch, good: BATCH - before.batchRejects, rejects: before.batchRejects }
      events.push({ identifier: 'batch_finished', params })
    }
    return events
  },
}

/** Two shifts, six days. */
function onShift(at: number): boolean {
  const h = localHour(at)
  return localWeekday(at) !== 0 && h >= 7 && h < 22
}
