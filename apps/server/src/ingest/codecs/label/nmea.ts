/** Place as the thing model's geo type has it: WGS 84, degrees and metres. */
export interface Place {
  lng: number
  lat: number
  alt?: number
}

const PAIR = /(\d{1,2})(\d{2}(?:\.\d+)?),([NS]),(\d{1,3})(\d{2}(?:\.\d+)?),([EW])/
const SENTENCE = /^\$?[A-Z]{2}(RMC|GGA|GLL|GNS),([^*]*)(?:\*([0-9A-Fa-f]{2}))?/

/**
 * Reads the place from an NMEA 0183 sentence (RMC, GGA, GLL, GNS) or from its part `ddmm.mmmm,N,dddmm.mmmm,E`.
 * Undefined: no fix, no place, or a place off the globe; `checksum`: the sentence was damaged on its way.
 */
export function readNmea(text: string): Place | 'checksum' | undefined {
  if (text.length > 256) return undefined
  const sentence = SENTENCE.exec(text)
  const fields = sentence?.[2]?.split(',') ?? []
  if (sentence) {
    if (sentence[3] !== undefined && Number.parseInt(sentence[3], 16) !== sumOf(text)) return 'checksum'
    if (!hasFix(sentence[1]!, fields)) return undefined
  }
  const match = PAIR.exec(text)
  if (!match) return undefined
  const [, latDegrees, latMinutes, northSouth, lngDegrees, lngMinutes, eastWest] = match
  const lat = degrees(latDegrees!, latMinutes!) * (northSouth === 'S' ? -1 : 1)
  const lng = degrees(lngDegrees!, lngMinutes!) * (eastWest === 'W' ? -1 : 1)
  if (Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined
  const kind = sentence?.[1]
  const altitude = kind === 'GGA' || kind === 'GNS' ? fields[8] : undefined
  return altitude && /^-?\d+(?:\.\d+)?$/.test(altitude) ? { lng, lat, alt: Number(altitude) } : { lng, lat }
}

/** Whether the sentence says that its place was measured; of what it leaves open it says nothing. */
function hasFix(kind: string, fields: readonly string[]): boolean {
  switch (kind) {
    case 'RMC':
      return fields[1] !== 'V' && fields[11] !== 'N'
    case 'GGA':
      return fields[5] !== '0' && fields[5] !== ''
    case 'GLL':
      return fields[5] !== 'V' && fields[6] !== 'N'
    default:
      // One letter per system of satellites.
      return /[^N]/.test(fields[5] ?? '')
  }
}

/** Exclusive or of what stands between the dollar and the star. */
function sumOf(text: string): number {
  let sum = 0
  for (let i = text.startsWith('$') ? 1 : 0; i < text.length && text[i] !== '*'; i++) sum ^= text.charCodeAt(i)
  return sum
}

/** A ten-millionth of a degree is a centimetre: more digits say nothing. */
function degrees(whole: string, minutes: string): number {
  return Number((Number(whole) + Number(minutes) / 60).toFixed(7))
}
