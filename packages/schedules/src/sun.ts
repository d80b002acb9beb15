import type { Position, SunEvent } from './schedule.ts'

const DAY = 86_400_000
const RADIAN = Math.PI / 180
/** The sun's upper edge on the horizon, with the air's bending of its light. */
const HORIZON = 90.833

/**
 * Sunrise or sunset on a day at a place, epoch ms; null where the sun does not rise or set that day.
 * After NOAA's solar calculator (Meeus, Astronomical Algorithms): to about a minute between 72° north and south.
 * @param day days since 1 January 1970 of the place's own calendar
 */
export function sunTime(event: SunEvent, day: number, { lat, lng }: Position): number | null {
  // Worked out twice: the second time for the moment that the first one found.
  let minutes = 720 - 4 * lng
  for (let round = 0; round < 2; round++) {
    const { declination, equation } = sunAt(day + minutes / 1440)
    const cosine =
      Math.cos(HORIZON * RADIAN) / (Math.cos(lat * RADIAN) * Math.cos(declination)) -
      Math.tan(lat * RADIAN) * Math.tan(declination)
    if (!(cosine >= -1 && cosine <= 1)) return null
    const hourAngle = Math.acos(cosine) / RADIAN
    minutes = 720 - 4 * (lng + (event === 'sunrise' ? hourAngle : -hourAngle)) - equation
  }
  return Math.round(day * DAY + minutes * 60_000)
}

/** The sun's declination in radians and the equation of time in minutes, at a time in days since 1970 (UTC). */
function sunAt(days: number): { declination: number; equation: number } {
  // Julian centuries since 2000.
  const century = (days + 2_440_587.5 - 2_451_545) / 36_525
  const meanLongitude = (280.46646 + century * (36_000.76983 + century * 0.0003032)) % 360
  const anomaly = 357.52911 + century * (35_999.05029 - 0.0001537 * century)
  const eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
  const sin = (degrees: number) => Math.sin(degrees * RADIAN)
  const centre =
    sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century)) +
    sin(2 * anomaly) * (0.019993 - 0.000101 * century) +
    sin(3 * anomaly) * 0.000289
  const node = 125.04 - 1934.136 * century
  const apparent = meanLongitude + centre - 0.00569 - 0.00478 * sin(node)
  const meanObliquity = 23 + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60
  const obliquity = (meanObliquity + 0.00256 * Math.cos(node * RADIAN)) * RADIAN
  const declination = Math.asin(Math.sin(obliquity) * sin(apparent))
  const y = Math.tan(obliquity / 2) ** 2
  const longitude = meanLongitude * RADIAN
  const mean = anomaly * RADIAN
  const equation =
    (4 / RADIAN) *
    (y * Math.sin(2 * longitude) -
      2 * eccentricity * Math.sin(mean) +
      4 * eccentricity * y * Math.sin(mean) * Math.cos(2 * longitude) -
      0.5 * y * y * Math.sin(4 * longitude) -
      1.25 * eccentricity * eccentricity * Math.sin(2 * mean))
  return { declination, equation }
}
