import { ModelReader } from '@thingwright/thing-model/problems'

/** What can be wrong with a rule beyond what can be wrong with any document. */
export const RULE_PROBLEM_CODES = [
  'format_unknown',
  'field_missing',
  'field_unknown',
  'scope_choice',
  'too_deep',
  'conditions_too_many',
  'property_invalid',
  'low_not_below_high',
  'operator_value',
  'momentary_cannot_last',
  'momentary_needs_seconds',
  'dead_band_too_wide',
  'momentary_cannot_clear',
  'time_of_day_invalid',
  'zone_unknown',
  'day_invalid',
  'device_unknown',
  'fence_unknown',
] as const

/** One thing wrong with a rule: `condition.of[2].seconds` `number_out_of_range` `{min, max}`; its text comes from the locales. */
export interface RuleProblem {
  path: string
  code: string
  params: Record<string, string | number>
}

/** Reads a rule and collects what is wrong with it; as with things' models, beyond a hundred no more is listed. */
export class RuleReader extends ModelReader {
  readonly flaws: RuleProblem[] = []

  flaw(path: string, code: (typeof RULE_PROBLEM_CODES)[number], params: RuleProblem['params'] = {}): void {
    if (this.flaws.length < 100) this.flaws.push({ path, code, params })
  }

  /** All that is wrong, in the order of the paths. */
  all(): RuleProblem[] {
    return [...this.problems, ...this.flaws].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  }

  /** Fields that nobody reads are mistakes of whoever wrote them: a rule that means something else must not be kept. */
  only(input: Record<string, unknown>, path: string, fields: readonly string[]): void {
    for (const field of Object.keys(input))
      if (input[field] !== undefined && !fields.includes(field))
        this.flaw(below(path, field), 'field_unknown', { field })
  }

  /** Says so when a field is absent that must be there. */
  required<T>(value: T | undefined, given: unknown, path: string): value is T {
    if (value === undefined && (given === undefined || given === null)) this.flaw(path, 'field_missing')
    return value !== undefined
  }
}

/** The path of a field of the object at `path`. */
export function below(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}
