/**
 * Days until something ends, as a calendar on the wall of the company counts them: 0 on the day itself, 1 the day before.
 * Header, account page, notices and assistant all ask here, so that none says another number.
 * @param end epoch ms
 * @param timeZone IANA name of the company's zone
 * @returns negative once the day has passed
 */
export function daysLeft(end: number, now: number, timeZone: string): number {
  return dayNumber(end, timeZone) - dayNumber(now, timeZone)
}

/** The day of a moment where the company is: `2026-11-20`. */
export function localDay(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return parts.format(at)
}

function dayNumber(at: number, timeZone: string): number {
  return Date.parse(`${localDay(at, timeZone)}T00:00:00Z`) / 86_400_000
}
