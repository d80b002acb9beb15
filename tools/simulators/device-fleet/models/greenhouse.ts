import { daylight, outdoorTemperature } from './climate.ts'
import {
  approach,
  clamp,
  HOUR,
  inputNumber,
  type PhysicalModel,
  type PhysicalState,
  refuse,
  round,
  SECOND,
} from './physical-model.ts'

const IRRIGATION_L_PER_MIN = 12
const HOT_C = 35
const DRY_PERCENT = 34

export interface GreenhouseState extends PhysicalState {
  temperature: number
  humidity: number
  light: number
  co2: number
  soil: number
  fan: boolean
  /** 1, 2 or 3. */
  fanLevel: number
  /** Percent drawn. */
  shade: number
  lamp: boolean
  automatic: boolean
  irrigateUntil: number
  waterLitres: number
}

/** A greenhouse: the sun heats it, a fan cools it, plants breathe and drink. */
export const greenhouse: PhysicalModel<GreenhouseState> = {
  kind: 'greenhouse',
  intervalMs: 15 * SECOND,

  create: ({ at }, rng) => ({
    at,
    temperature: 20,
    humidity: 70,
    light: 0,
    co2: 450,
    soil: rng.between(40, 60),
    fan: false,
    fanLevel: 2,
    shade: 0,
    lamp: false,
    automatic: true,
    irrigateUntil: 0,
    waterLitres: Math.round(rng.between(1000, 9000)),
  }),

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    const outside = outdoorTemperature(at)
    const sun = daylight(at)
    let { fan, shade, irrigateUntil } = s
    if (s.automatic) {
      if (s.temperature > 28) fan = true
      else if (s.temperature < 24) fan = false
      if (sun > 70_000) shade = 50
      else if (sun < 50_000) shade = 0
      if (s.soil < DRY_PERCENT && at > irrigateUntil) irrigateUntil = at + 600 * SECOND
    }
    const irrigating = at <= irrigateUntil
    const light = sun * 0.75 * (1 - 0.9 * (shade / 100)) + (s.lamp ? 6_000 : 0)

    // Air changes per hour; sun and heater in degrees per hour.
    const exchange = 0.9 + (fan ? 1.1 * s.fanLevel : 0)
    const heating = s.temperature < 14 ? 14 : 0
    const balance = outside + (24 * (light / 75_000) + heating) / exchange
    const temperature = approach(s.temperature, balance, HOUR / exchange, dtMs) + 0.02 * rng.noise()

    const damp = 58 + 0.4 * s.soil - 1.3 * (temperature - 22) - (fan ? 6 * s.fanLevel : 0) + (irrigating ? 8 : 0)
    const humidity = clamp(approach(s.humidity, damp, 0.4 * HOUR, dtMs) + 0.1 * rng.noise(), 15, 99)

    const breathing = light > 1_000 ? -160 * Math.min(1, light / 40_000) : 260
    const co2 = Math.max(250, approach(s.co2, 420 + breathing / exchange, HOUR / exchange, dtMs) + 1.5 * rng.noise())

    const drying = (0.25 + 1.1 * (light / 70_000)) * (dtMs / HOUR)
    const soil = clamp(s.soil - drying + (irrigating ? 75 * (dtMs / HOUR) : 0), 5, 95)
    const water = irrigating ? (IRRIGATION_L_PER_MIN * dtMs) / 60_000 : 0
    return {
      at,
      temperature,
      humidity,
      light,
      co2,
      soil,
      fan,
      fanLevel: s.fanLevel,
      shade,
      lamp: s.lamp,
      automatic: s.automatic,
      irrigateUntil,
      waterLitres: s.waterLitres + water,
    }
  },

  report: s => ({
    temperature: round(s.temperature, 1),
    humidity: round(s.humidity, 1),
    light: Math.round(s.light),
    co2: Math.round(s.co2),
    soil_moisture: round(s.soil, 1),
    fan: s.fan,
    fan_level: s.fanLevel,
    shade: s.shade,
    lamp: s.lamp,
    mode: s.automatic ? 1 : 0,
    irrigating: s.at <= s.irrigateUntil,
    water_used: round(s.waterLitres, 1),
  }),

  writable: {
    fan: (s, value) => ({ ...s, fan: value === true, automatic: false }),
    fan_level: (s, value) => ({ ...s, fanLevel: clamp(Number(value), 1, 3) }),
    shade: (s, value) => ({ ...s, shade: clamp(Number(value), 0, 100), automatic: false }),
    lamp: (s, value) => ({ ...s, lamp: value === true }),
    mode: (s, value) => ({ ...s, automatic: value === 1 }),
  },

  services: {
    irrigate(s, input) {
      if (s.at <= s.irrigateUntil) return refuse(s, 'irrigation is running already')
      const seconds = inputNumber(input, 'seconds', 120, 10, 1800)
      return {
        state: { ...s, irrigateUntil: s.at + seconds * SECOND },
        outcome: { code: 0, data: { litres: round((IRRIGATION_L_PER_MIN * seconds) / 60, 1) } },
      }
    },
    stop_irrigation: s => ({ state: { ...s, irrigateUntil: 0 }, outcome: { code: 0 } }),
  },

  events(before, after) {
    const events = []
    if (before.temperature < HOT_C && after.temperature >= HOT_C) {
      events.push({ identifier: 'overheated', params: { temperature: round(after.temperature, 1) } })
    }
    if (before.irrigateUntil < after.irrigateUntil) {
      const seconds = Math.round((after.irrigateUntil - after.at) / SECOND)
      events.push({ identifier: 'irrigation_started', params: { seconds, soil_moisture: round(after.soil, 1) } })
    }
    return events
  },
}
