import { outdoorTemperature, working } from './climate.ts'
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
  traitNumber,
  type Values,
} from './physical-model.ts'

const ALARM_ABOVE_SETPOINT_C = 6
const DOOR_ALARM_MS = 4 * MINUTE
const DEFROST_EVERY_MS = 8 * HOUR
const COMPRESSOR_KW = 4.2

export interface ColdRoomState extends PhysicalState {
  temperature: number
  humidity: number
  setpoint: number
  door: boolean
  doorOpenedAt: number
  doorUntil: number
  compressor: boolean
  /** Ice on the evaporator, 0..1; it takes cooling power. */
  frost: number
  defrostUntil: number
  lastDefrostAt: number
  lamp: boolean
  alarm: boolean
  silenced: boolean
  powerKw: number
  energyKwh: number
}

/** A cold room: people open its door, ice grows, the compressor holds the temperature. */
export const coldRoom: PhysicalModel<ColdRoomState> = {
  kind: 'cold_room',
  intervalMs: 20 * SECOND,

  create(site, rng) {
    const { at } = site
    const setpoint = traitNumber(site, 'setpoint', rng.next() < 0.6 ? -18 : 4)
    return {
      at,
      temperature: setpoint + rng.between(-0.8, 0.8),
      humidity: 75,
      setpoint,
      door: false,
      doorOpenedAt: 0,
      doorUntil: 0,
      compressor: false,
      frost: rng.between(0, 0.4),
      defrostUntil: 0,
      lastDefrostAt: at - Math.round(rng.between(0, DEFROST_EVERY_MS)),
      lamp: false,
      alarm: false,
      silenced: false,
      powerKw: 0,
      energyKwh: Math.round(rng.between(500, 20_000)),
    }
  },

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    const outside = 0.6 * outdoorTemperature(at) + 9

    let { door, doorOpenedAt, doorUntil } = s
    if (door && at >= doorUntil) door = false
    else if (!door && rng.happens(18 * MINUTE, dtMs * working(at, 6, 20))) {
      door = true
      doorOpenedAt = at
      // Now and then somebody forgets to close it.
      doorUntil = at + (rng.next() < 0.01 ? rng.between(6, 14) * MINUTE : rng.between(25, 120) * SECOND)
    }

    const due = at - s.lastDefrostAt >= DEFROST_EVERY_MS && at > s.defrostUntil
    const defrostUntil = due ? at + 20 * MINUTE : s.defrostUntil
    const defrosting = at <= defrostUntil

    let compressor = s.compressor
    if (s.temperature > s.setpoint + 1) compressor = true
    else if (s.temperature < s.setpoint - 1) compressor = false
    if (defrosting) compressor = false

    // Degrees per hour: leak through the walls, warm air through the door, cold from the evaporator.
    const leak = (outside - s.temperature) / 30
    const draught = door ? (outside - s.temperature) / 0.7 : 0
    const cold = compressor ? -13 * (1 - 0.45 * s.frost) : 0
    const warmth = defrosting ? 2.5 : 0
    const perHour = leak + draught + cold + warmth
    const temperature = clamp(s.temperature + perHour * (dtMs / HOUR) + 0.01 * rng.noise(), -40, outside + 5)

    const frost = defrosting
      ? Math.max(0, s.frost - (3 * dtMs) / HOUR)
      : Math.min(1, s.frost + ((0.03 + (door ? 1.2 : 0)) * dtMs) / HOUR)
    const damp = door ? 92 : compressor ? 68 : 78
    const powerKw = (compressor ? COMPRESSOR_KW * (1 + 0.02 * rng.noise()) : 0.15) + (defrosting ? 2 : 0)
    const alarm = temperature > s.setpoint + ALARM_ABOVE_SETPOINT_C - (s.alarm ? 1 : 0)
    return {
      at,
      temperature,
      humidity: clamp(approach(s.humidity, damp, 10 * MINUTE, dtMs) + 0.2 * rng.noise(), 20, 100),
      setpoint: s.setpoint,
      door,
      doorOpenedAt,
      doorUntil,
      compressor,
      frost,
      defrostUntil,
      lastDefrostAt: due ? at : s.lastDefrostAt,
      lamp: door ? true : s.door ? false : s.lamp,
      alarm,
      silenced: alarm && s.silenced,
      powerKw,
      energyKwh: s.energyKwh + powerKw * (dtMs / HOUR),
    }
  },

  report: s => ({
    temperature: round(s.temperature, 2),
    humidity: round(s.humidity, 1),
    setpoint: s.setpoint,
    door: s.door,
    compressor: s.compressor,
    defrosting: s.at <= s.defrostUntil,
    frost: round(s.frost * 100, 0),
    lamp: s.lamp,
    alarm: s.alarm,
    power: round(s.powerKw, 2),
    energy: round(s.energyKwh, 2),
    last_defrost_at: s.lastDefrostAt,
  }),

  writable: {
    setpoint: (s, value) => ({ ...s, setpoint: clamp(Number(value), -30, 12) }),
    lamp: (s, value) => ({ ...s, lamp: value === true }),
  },

  services: {
    defrost(s, input) {
      if (s.at <= s.defrostUntil) return refuse(s, 'defrosting already')
      const minutes = inputNumber(input, 'minutes', 20, 5, 60)
      const until = s.at + minutes * MINUTE
      return {
        state: { ...s, defrostUntil: until, lastDefrostAt: s.at },
        outcome: { code: 0, data: { until } },
      }
    },
    silence_alarm: s =>
      s.alarm ? { state: { ...s, silenced: true }, outcome: { code: 0 } } : refuse(s, 'there is no alarm to silence'),
  },

  events(before, after) {
    const events: { identifier: string; params: Values }[] = []
    const temperature = round(after.temperature, 2)
    if (!before.alarm && after.alarm) {
      events.push({ identifier: 'temperature_high', params: { temperature, setpoint: after.setpoint } })
    }
    if (before.alarm && !after.alarm) events.push({ identifier: 'temperature_normal', params: { temperature } })
    const openFor = (s: ColdRoomState) => (s.door ? s.at - s.doorOpenedAt : 0)
    if (openFor(before) < DOOR_ALARM_MS && openFor(after) >= DOOR_ALARM_MS) {
      events.push({ identifier: 'door_left_open', params: { seconds: Math.round(openFor(after) / SECOND) } })
    }
    if (before.at <= before.defrostUntil && after.at > after.defrostUntil) {
      events.push({ identifier: 'defrost_finished', params: { temperature } })
    }
    return events
  },
}
