import {
  CompanyQuotas,
  CompanyRetention,
  type CompanySettings,
  DEFAULT_SETTINGS,
} from '@thingwright/contracts/company-settings'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../../lib/errors.ts'

export type SettingsSection = keyof CompanySettings

const CHECKED: Partial<Record<SettingsSection, TSchema>> = { retention: CompanyRetention, quotas: CompanyQuotas }

/**
 * A company's settings out of what is stored: what it never set, and what no longer passes the rules, has its default.
 * @param stored the column `settings`
 */
export function readSettings(stored: unknown): CompanySettings {
  const sections = isObject(stored) ? stored : {}
  return {
    retention: complete(CompanyRetention, sections.retention, DEFAULT_SETTINGS.retention),
    quotas: complete(CompanyQuotas, sections.quotas, DEFAULT_SETTINGS.quotas),
    security: isObject(sections.security) ? sections.security : {},
  }
}

/**
 * A section with some of its values changed.
 * @throws AppError request.validation with the fields that break the rules
 */
export function changeSection<S extends SettingsSection>(
  section: S,
  current: CompanySettings[S],
  change: Partial<CompanySettings[S]>,
): CompanySettings[S] {
  const next = { ...current, ...change }
  const schema = CHECKED[section]
  if (!schema) return next
  const fields: Record<string, { code: string; params?: Record<string, unknown> }> = {}
  for (const key of Object.keys(next)) {
    const property = (schema as { properties?: Record<string, TSchema> }).properties?.[key]
    if (!property) fields[`${section}.${key}`] = { code: 'field.additionalProperties' }
    else if (!Value.Check(property, (next as Record<string, unknown>)[key]))
      fields[`${section}.${key}`] = { code: 'settings.out_of_range', params: boundsOf(property) }
  }
  if (Object.keys(fields).length > 0)
    throw new AppError('request.validation', { params: { count: Object.keys(fields).length }, fields })
  return next
}

function complete<T extends object>(schema: TSchema, stored: unknown, defaults: T): T {
  const given = isObject(stored) ? stored : {}
  const properties = (schema as { properties?: Record<string, TSchema> }).properties ?? {}
  const valid = Object.entries(given).filter(([key, value]) => {
    const property = properties[key]
    return property !== undefined && Value.Check(property, value)
  })
  return { ...defaults, ...Object.fromEntries(valid) }
}

function boundsOf(schema: TSchema): { min: number; max: number } {
  const { anyOf, minimum, maximum } = schema as { anyOf?: TSchema[]; minimum?: number; maximum?: number }
  if (anyOf?.[0]) return boundsOf(anyOf[0])
  return { min: minimum ?? 0, max: maximum ?? Number.MAX_SAFE_INTEGER }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
