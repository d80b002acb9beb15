import { Rng } from './rng.ts'

/** Weather and working hours as functions of the time alone, so that all devices of a place live under one sky. */

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** All demo sites lie in China: UTC+8, latitude about 30°. */
const ZONE = 8 * HOUR
const LATITUDE = (30 * Math.PI) / 180

/** Hour of the local day, 0 <= h < 24, with fraction. */
export function localHour(at: number): number {
  return ((at + ZONE) % DAY) / HOUR
}

/** 0 Sunday … 6 Saturday. */
export function localWeekday(at: number): number {
  return (Math.floor((at + ZONE) / DAY) + 4) % 7
}

/** Smooth noise in -1..1 that changes over the period; the same for everybody who asks with the same salt. */
export function drift(at: number, periodMs: number, salt: number): number {
  const i = Math.floor(at / periodMs)
  const f = at / periodMs - i
  const smooth = f * f * (3 - 2 * f)
  return (1 - smooth) * corner(i, salt) + smooth * corner(i + 1, salt)
}

function corner(i: number, salt: number): number {
  return new Rng(Math.imul(i, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)).next() * 2 - 1
}

/** Angle of the year, 0 on 21 December. */
function season(at: number): number {
  return ((at / DAY + 10.5) / 365.2422) * 2 * Math.PI
}

/** Daylight in lux, 0 at night, clouds included. */
export function daylight(at: number): number {
  const declination = -0.409 * Math.cos(season(at))
  const hourAngle = ((localHour(at) - 12) / 12) * Math.PI
  const elevation =
    Math.sin(LATITUDE) * Math.sin(declination) + Math.cos(LATITUDE) * Math.cos(declination) * Math.cos(hourAngle)
  if (elevation <= 0) return 0
  return 115_000 * elevation * (0.68 + 0.32 * drift(at, 3 * HOUR, 11))
}

/** Air temperature outside, °C. */
export function outdoorTemperature(at: number): number {
  const daily = 4.5 * Math.sin(((localHour(at) - 9) / 12) * Math.PI)
  return 17 - 11 * Math.cos(season(at) - 0.5) + daily + 3 * drift(at, 36 * HOUR, 12) + 0.5 * drift(at, HOUR, 13)
}

/** 1 in the middle of a working day, 0 at night, soft edges; Sundays rest. */
export function working(at: number, from = 8, to = 18): number {
  const h = localHour(at)
  const edge = 1 / (1 + Math.exp(-(h - from) * 3)) - 1 / (1 + Math.exp(-(h - to) * 3))
  return localWeekday(at) === 0 ? edge * 0.15 : edge
}

/** Water use of a settlement: peaks in the morning and in the evening. */
export function waterDemand(at: number): number {
  const h = localHour(at)
  const peak = (middle: number, width: number) => Math.exp(-(((h - middle) / width) ** 2))
  return 0.25 + 0.75 * peak(7.5, 1.8) + 0.35 * peak(12.5, 2) + 0.7 * peak(19.5, 2.4)
}
