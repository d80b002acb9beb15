import words from './clock-words.json' with { type: 'json' }

/** Part of the day that goes with a time: `day` says nothing. */
export type DayPart = 'am' | 'pm' | 'noon' | 'day'

const HOURS_ZH = new Map(Object.entries(words.zh))
const HOURS_EN = new Map(Object.entries(words.en))

/**
 * A time of a day as people say it: `22:00`, `10:30 pm`, `ten`, and the same in Chinese.
 * @returns `HH:MM`; null: it is none
 */
export function saidClock(said: string, part: DayPart = 'day'): string | null {
  let text = said.trim().toLowerCase().replaceAll('\uff1a', ':')
  let half = part
  for (const [word, means] of Object.entries(words.zhParts))
    if (text.startsWith(word)) {
      half = means as DayPart
      text = text.slice(word.length)
    }
  const english = /^(.*?)\s*(a\.?m\.?|p\.?m\.?|o.clock)$/.exec(text)
  if (english) {
    if (english[2]!.startsWith('a')) half = 'am'
    if (english[2]!.startsWith('p')) half = 'pm'
    text = english[1]!
  }
  const parts = /^(\S+?)(?:\s*[:\u70b9\u65f6]\s*(\d{1,2}|\u534a|\u6574)?\s*\u5206?)?$/u.exec(text)
  if (!parts) return null
  const [, hourText, minuteText = ''] = parts as unknown as [string, string, string?]
  const hour = /^\d{1,2}$/.test(hourText) ? Number(hourText) : (HOURS_ZH.get(hourText) ?? HOURS_EN.get(hourText))
  const minute = minuteText === '\u534a' ? 30 : /^\d+$/.test(minuteText) ? Number(minuteText) : 0
  if (hour === undefined || hour > 24 || minute > 59) return null
  const full = inDay(hour, half)
  return full > 23 ? null : `${String(full).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

function inDay(hour: number, part: DayPart): number {
  if (hour > 12) return hour === 24 ? 0 : hour
  if (part === 'am') return hour === 12 ? 0 : hour
  if (part === 'noon') return hour < 11 ? hour + 12 : hour
  // Twelve in the evening is midnight.
  if (part === 'pm') return hour === 12 ? 0 : hour + 12
  return hour
}
