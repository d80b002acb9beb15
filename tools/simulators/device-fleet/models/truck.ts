import { localHour, outdoorTemperature } from './climate.ts'
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
import type { Rng } from './rng.ts'
import { makeRoute, type Place, placeAlong, type Route, routeLength } from './route.ts'

const TANK_LITRES = 300
const LOW_FUEL_PERCENT = 20
const STOPS = 5

export interface TruckState extends PhysicalState {
  route: Route
  length: number
  /** Metres along the route; 0 is the depot. */
  along: number
  speed: number
  /** Speed the driver aims at. */
  cruise: number
  fuel: number
  odometerM: number
  engine: boolean
  door: boolean
  doorLocked: boolean
  /** Standing at a stop until then; 0 when under way. */
  standUntil: number
  stop: number
  speedLimit: number
  /** kPa at 20 °C of each tyre, slowly leaking. */
  tyres: [number, number, number, number]
  tyreTemperature: number
}

/** A delivery truck on its round: leaves the depot in the morning, unloads at five stops, refuels at home. */
export const truck: PhysicalModel<TruckState> = {
  kind: 'truck',
  intervalMs: 5 * SECOND,

  create({ at, lng, lat }, rng) {
    const route = makeRoute({ lng, lat }, rng)
    return {
      at,
      route,
      length: routeLength(route),
      along: 0,
      speed: 0,
      cruise: 60,
      fuel: rng.between(60, 95),
      odometerM: Math.round(rng.between(2e7, 3e8)),
      engine: false,
      door: false,
      doorLocked: true,
      standUntil: 0,
      stop: 0,
      speedLimit: 80,
      tyres: [rng.between(790, 830), rng.between(790, 830), rng.between(790, 830), rng.between(790, 830)],
      tyreTemperature: 20,
    }
  },

  step(s, dtMs, rng) {
    const at = s.at + dtMs
    const atDepot = s.along === 0
    if (atDepot && !onDuty(at)) return parked(s, at, dtMs, rng)
    if (at < s.standUntil) return standing(s, at, dtMs)
    return driving(s, at, dtMs, rng)
  },

  report(s) {
    const [fl, fr, rl, rr] = s.tyres.map(pressure => round(pressure * ((273 + s.tyreTemperature) / 293), 0))
    return {
      position: position(s),
      speed: round(s.speed, 1),
      heading: Math.round(placeAlong(s.route, s.along).heading) % 360,
      fuel: round(s.fuel, 1),
      odometer: round(s.odometerM / 1000, 2),
      engine: s.engine,
      door: s.door,
      door_lock: s.doorLocked,
      speed_limit: s.speedLimit,
      status: s.speed > 1 ? 1 : s.engine ? 2 : 0,
      tyres: { fl, fr, rl, rr },
    }
  },

  writable: {
    speed_limit: (s, value) => ({ ...s, speedLimit: clamp(Number(value), 30, 120) }),
    door_lock: (s, value) => (value === true && s.door ? 'the door is open' : { ...s, doorLocked: value === true }),
  },

  services: {
    locate: s => ({ state: s, outcome: { code: 0, data: { position: position(s), speed: round(s.speed, 1) } } }),
    lock_doors: s =>
      s.door
        ? refuse(s, 'the door is open')
        : { state: { ...s, doorLocked: true }, outcome: { code: 0, data: { locked: true } } },
  },

  events(before, after) {
    const events: { identifier: string; params: Values }[] = []
    if (before.speed <= before.speedLimit && after.speed > after.speedLimit) {
      const params = { speed: round(after.speed, 1), limit: after.speedLimit, position: position(after) }
      events.push({ identifier: 'overspeed', params })
    }
    if (before.fuel > LOW_FUEL_PERCENT && after.fuel <= LOW_FUEL_PERCENT) {
      events.push({ identifier: 'fuel_low', params: { fuel: round(after.fuel, 1) } })
    }
    if (before.standUntil !== after.standUntil && after.standUntil > after.at) {
      events.push({ identifier: 'arrived', params: { stop: after.stop, position: position(after) } })
    }
    return events
  },
}

function onDuty(at: number): boolean {
  const h = localHour(at)
  return h >= 6.5 && h < 19
}

function position(s: TruckState): Place {
  const { lng, lat } = placeAlong(s.route, s.along)
  return { lng: round(lng, 6), lat: round(lat, 6) }
}

function parked(s: TruckState, at: number, dtMs: number, rng: Rng): TruckState {
  return {
    at,
    route: s.route,
    length: s.length,
    along: s.along,
    speed: 0,
    cruise: 60 + 6 * rng.noise(),
    // Filled up at the depot's own pump, 40 litres a minute.
    fuel: Math.min(98, s.fuel + (s.fuel < 97 ? ((40 / TANK_LITRES) * 100 * dtMs) / MINUTE : 0)),
    odometerM: s.odometerM,
    engine: false,
    door: false,
    doorLocked: true,
    standUntil: 0,
    stop: 0,
    speedLimit: s.speedLimit,
    // A soft tyre is pumped up overnight.
    tyres: s.tyres[2] < 745 ? [810, 810, 810, 810] : s.tyres,
    tyreTemperature: approach(s.tyreTemperature, outdoorTemperature(at), HOUR, dtMs),
  }
}

function standing(s: TruckState, at: number, dtMs: number): TruckState {
  const home = s.along === 0
  return {
    at,
    route: s.route,
    length: s.length,
    along: s.along,
    speed: 0,
    cruise: s.cruise,
    fuel: home ? s.fuel : Math.max(0, s.fuel - (0.2 * dtMs) / HOUR),
    odometerM: s.odometerM,
    engine: home,
    door: !home && !s.doorLocked,
    doorLocked: s.doorLocked,
    standUntil: s.standUntil,
    stop: s.stop,
    speedLimit: s.speedLimit,
    tyres: s.tyres,
    tyreTemperature: approach(s.tyreTemperature, outdoorTemperature(at), HOUR, dtMs),
  }
}

function driving(s: TruckState, at: number, dtMs: number, rng: Rng): TruckState {
  const cruise = clamp(s.cruise + 0.6 * rng.noise() * Math.sqrt(dtMs / 5_000), 35, 84)
  const speed = Math.max(0, approach(s.speed, cruise, 14 * SECOND, dtMs) + 0.4 * rng.noise())
  const metres = ((s.speed + speed) / 2 / 3.6) * (dtMs / 1000)
  const nextStop = s.stop < STOPS ? ((s.stop + 1) / (STOPS + 1)) * s.length : s.length
  const arrives = s.along + metres >= nextStop
  const driven = arrives ? nextStop - s.along : metres
  const home = arrives && s.stop === STOPS
  const leak = dtMs / HOUR
  const [fl, fr, rl, rr] = s.tyres
  return {
    at,
    route: s.route,
    length: s.length,
    along: home ? 0 : s.along + driven,
    speed: arrives ? 0 : speed,
    cruise,
    fuel: Math.max(2, s.fuel - ((26 + 0.12 * speed) / 100 / TANK_LITRES) * 100 * (driven / 1000)),
    odometerM: s.odometerM + driven,
    engine: !arrives,
    door: false,
    doorLocked: !arrives,
    standUntil: arrives ? at + Math.round(rng.between(6, home ? 30 : 18)) * MINUTE : 0,
    stop: arrives ? (home ? 0 : s.stop + 1) : s.stop,
    speedLimit: s.speedLimit,
    // The rear left one has a nail in it.
    tyres: [fl - 0.03 * leak, fr - 0.03 * leak, rl - 0.25 * leak, rr - 0.03 * leak],
    tyreTemperature: approach(s.tyreTemperature, outdoorTemperature(at) + 18, HOUR / 2, dtMs),
  }
}
