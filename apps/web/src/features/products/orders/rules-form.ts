import type { CommandRules, FeatureRule } from '@thingwright/contracts/command-schemas'
import type { Values } from '../../../ui/schema-form/field.ts'

/** Rules as the fields of their form; one row per property or service that has something of its own. */
export function rulesValues(rules: CommandRules): Values {
  const rows = (kind: 'property' | 'service', features: Record<string, FeatureRule> | undefined) =>
    Object.entries(features ?? {}).map(([identifier, rule]) => ({
      feature: `${kind}:${identifier}`,
      confirm: rule.confirm ?? 'auto',
      danger: rule.danger?.level ?? 'none',
      ...(rule.tolerance === undefined ? {} : { tolerance: rule.tolerance }),
      ...(rule.danger?.text === undefined ? {} : { dangerText: rule.danger.text }),
      ...(rule.interlock?.[0]
        ? {
            interlockOf: rule.interlock[0].identifier,
            operator: rule.interlock[0].operator,
            value: JSON.stringify(rule.interlock[0].value),
          }
        : {}),
    }))
  return {
    expirySeconds: rules.expirySeconds ?? 86_400,
    collapse: rules.collapse !== false,
    confirm: rules.confirm ?? 'auto',
    ...(rules.timeoutMs === undefined ? {} : { timeoutMs: rules.timeoutMs }),
    retries: rules.retries ?? 0,
    rawDanger: rules.raw?.danger?.level ?? 'none',
    features: [...rows('property', rules.properties), ...rows('service', rules.services)],
  }
}

/** The rules of a filled form. @param before keeps what the form does not show: roles, further conditions, read-back of services */
export function rulesOf(values: Values, before: CommandRules): CommandRules {
  const properties: Record<string, FeatureRule> = {}
  const services: Record<string, FeatureRule> = {}
  for (const row of (values.features as Values[] | undefined) ?? []) {
    const [kind, identifier = ''] = String(row.feature).split(/:(.*)/)
    if (!identifier) continue
    const into = kind === 'service' ? services : properties
    const old = (kind === 'service' ? before.services : before.properties)?.[identifier]
    into[identifier] = ruleOf(row, old)
  }
  const danger = values.rawDanger as 'none' | 'confirm'
  return {
    expirySeconds: Number(values.expirySeconds),
    collapse: values.collapse === true,
    confirm: values.confirm as NonNullable<CommandRules['confirm']>,
    ...(typeof values.timeoutMs === 'number' ? { timeoutMs: values.timeoutMs } : {}),
    retries: Number(values.retries),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(Object.keys(services).length > 0 ? { services } : {}),
    ...(danger === 'none' ? {} : { raw: { ...before.raw, danger: { ...before.raw?.danger, level: danger } } }),
  }
}

function ruleOf(row: Values, before: FeatureRule | undefined): FeatureRule {
  const { danger: oldDanger, interlock = [], confirm: _, tolerance: __, ...kept } = before ?? {}
  const first = row.interlockOf
    ? [
        {
          ...interlock[0],
          identifier: String(row.interlockOf),
          operator: (row.operator ?? 'lt') as 'lt',
          value: scalar(row.value),
        },
      ]
    : []
  const conditions = [...first, ...interlock.slice(1)]
  return {
    ...kept,
    ...(row.confirm === 'auto' || !row.confirm ? {} : { confirm: row.confirm as 'reply' }),
    ...(typeof row.tolerance === 'number' ? { tolerance: row.tolerance } : {}),
    ...(row.danger === 'none' || !row.danger
      ? {}
      : {
          danger: {
            ...(oldDanger?.roleIds ? { roleIds: oldDanger.roleIds } : {}),
            level: row.danger as 'confirm',
            ...(row.dangerText ? { text: String(row.dangerText) } : {}),
          },
        }),
    ...(conditions.length > 0 ? { interlock: conditions } : {}),
  }
}

function scalar(text: unknown): string | number | boolean {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? value : String(text)
  } catch {
    return String(text)
  }
}
