import type { Database, SystemScope } from '../../lib/database/database.ts'
import { holdable, part, sql } from '../../lib/sql/statement.ts'
import type { PlatformContact } from './company.service.ts'

/** What the operator sets for the whole installation. */
export interface PlatformSettings {
  /** Shown to companies that are not active. */
  contact: PlatformContact
  /** Days of a new company's trial. */
  trialDays: number
}

export const DEFAULT_PLATFORM: PlatformSettings = { contact: { name: '', phone: '', email: '' }, trialDays: 30 }

const KEY = 'platform'

const PLATFORM_SETTINGS_IN = holdable(
  sql<{ value: Partial<PlatformSettings> }>`select value from installation_settings where key = $1`,
  part`for update`,
)

export async function platformSettingsIn(scope: SystemScope, lock = false): Promise<PlatformSettings> {
  const { rows } = await scope.run(lock ? PLATFORM_SETTINGS_IN.held : PLATFORM_SETTINGS_IN.free, [KEY])
  return { ...DEFAULT_PLATFORM, ...rows[0]?.value }
}

const STORE_PLATFORM_SETTINGS = sql`insert into installation_settings (key, value) values ($1, $2)
  on conflict (key) do update set value = excluded.value, updated_at = now()`

export async function storePlatformSettings(scope: SystemScope, settings: PlatformSettings): Promise<void> {
  await scope.run(STORE_PLATFORM_SETTINGS, [KEY, JSON.stringify(settings)])
}

/** The installation's settings, with defaults for what nobody set. */
export function readPlatformSettings(database: Database): Promise<PlatformSettings> {
  return database.withSystemScope('company-status', scope => platformSettingsIn(scope))
}
