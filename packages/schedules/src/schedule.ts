/** The kinds of schedules, in the order in which they are offered. */
export const SCHEDULE_KINDS = ['once', 'daily', 'weekly', 'monthly', 'interval', 'pair', 'sun', 'cron'] as const
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number]

export const DAY_KINDS = ['any', 'workday', 'holiday'] as const
export type DayKind = (typeof DAY_KINDS)[number]

export const SUN_EVENTS = ['sunrise', 'sunset'] as const
export type SunEvent = (typeof SUN_EVENTS)[number]

/** A moment of a day: a time of the clock (`HH:MM` or `HH:MM:SS`), or one of the sun with minutes before or after it. */
export type TimeOfDay = string | { sun: SunEvent; offsetMinutes?: number }

interface Zoned {
  /** IANA name: `Asia/Shanghai`. Times of the clock are meant there. */
  zone: string
}

interface OnDays {
  /** Workdays and holidays of a calendar; absent: every day. */
  dayKind?: DayKind
}

export type Schedule =
  /** At one local moment: `YYYY-MM-DDTHH:MM[:SS]`. */
  | (Zoned & { kind: 'once'; at: string })
  | (Zoned & OnDays & { kind: 'daily'; times: string[] })
  /** 1 Monday to 7 Sunday. */
  | (Zoned & OnDays & { kind: 'weekly'; days: number[]; times: string[] })
  /** Days of the month; a day that a month does not have is left out there, `last` is its last one. */
  | (Zoned & OnDays & { kind: 'monthly'; days: (number | 'last')[]; months?: number[]; times: string[] })
  /** Every so many seconds from the beginning of a window of the day until its end; a window may cross midnight. */
  | (Zoned & OnDays & { kind: 'interval'; everySeconds: number; from: string; to: string; days?: number[] })
  /** On at one moment of a day and off at another, which is the next day's when it is not after the first. */
  | (Zoned & OnDays & { kind: 'pair'; on: TimeOfDay; off: TimeOfDay; days?: number[] })
  | (Zoned & OnDays & { kind: 'sun'; event: SunEvent; offsetMinutes?: number; days?: number[] })
  /** Five fields, or six with seconds in front. */
  | (Zoned & { kind: 'cron'; expression: string })

/** Where the sun is looked at: degrees, WGS 84. */
export interface Position {
  lat: number
  lng: number
}

/** Days that differ from their week day, as `YYYY-MM-DD`. */
export interface Calendar {
  holidays: ReadonlySet<string>
  /** Working days at a weekend. */
  workdays: ReadonlySet<string>
}

/** What a schedule is worked out with, besides itself. */
export interface Surroundings {
  /** Needed for the sun. */
  position?: Position
  /** Absent: Saturday and Sunday are the holidays. */
  calendar?: Calendar
}

/** One run of a schedule. */
export interface Run {
  /** Epoch ms. */
  at: number
  /** Of a pair: which side of it. */
  edge?: 'on' | 'off'
}

export const SCHEDULE_LIMITS = {
  times: 48,
  days: 32,
  /** Least and most seconds between runs. */
  everySeconds: [1, 86_400],
  offsetMinutes: 720,
  expression: 128,
  /** Years that are looked ahead for a run. */
  years: 9,
} as const
