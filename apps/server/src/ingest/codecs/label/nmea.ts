/** Place as the thing model's geo type has it: WGS 84, degrees and metres. */
export interface Place {
  lng: number
  lat: number
  alt?: number
}

const PAIR = /(\d{1,2})(\d{2}(?:\.\d+)?),([NS]),(\d{1,3})(\d{2}(?:\.\d+)?),([EW])/
const INVALID = /^\$?\w{2}RMC,[^,]*,V/

/**
 * Reads the place from an NMEA 0183 sentence (RMC, GGA, GLL) or from its part `ddmm.mmmm,N,dddmm.mmmm,E`.
 * Undefined: no fix, no place, or a place off the globe.
 */
export function readNmea(text: string): Place | undefined {
  if (text.length > 256 || INVALID.test(text)) return undefined
  const match = PAIR.exec(text)
  if (!match) return undefined
  const [, latDegrees, latMinutes, northSouth, lngDegrees, lngMinutes, eastWest] = match
  const lat = degrees(latDegrees!, latMinutes!) * (northSouth === 'S' ? -1 : 1)
  const lng = degrees(lngDegrees!, lngMinutes!) * (eastWest === 'W' ? -1 : 1)
  if (Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined
  const altitude = /^\$?\w{2}GGA(?:,[^,]*){8},(-?\d+(?:\.\d+)?),M/.exec(text)?.[1]
  return altitude === undefined ? { lng, lat } : { lng, lat, alt: Number(altitude) }
}

/** A ten-millionth of a degree is a centimetre: more digits say nothing. */
function degrees(whole: string, minutes: string): number {
  return Number((Number(whole) + Number(minutes) / 60).toFixed(7))
}
