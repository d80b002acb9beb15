import { isStorableText } from './text.ts'

export const PROBLEM_CODES = [
  'not_object',
  'not_array',
  'not_text',
  'not_number',
  'not_integer',
  'not_boolean',
  'text_missing',
  'text_too_long',
  'text_not_storable',
  'number_out_of_range',
  'range_reversed',
  'too_many',
  'items_missing',
  'item_value',
  'item_duplicate',
  'identifier_invalid',
  'identifier_reserved',
  'identifier_duplicate',
  'type_unknown',
  'choice_unknown',
  'struct_too_deep',
  'array_too_deep',
  'not_for_type',
  'password_readable',
  'map_flat',
  'policy_incomplete',
  'default_invalid',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** One thing wrong with a model: `properties[3].dataType.min` `range_reversed` `{min, max}`. */
export interface ModelProblem {
  path: string
  code: ProblemCode
  params: Record<string, string | number>
}

/** Problems beyond this number are not listed. */
export const MAX_PROBLEMS = 100

/** Reads fields of unknown input, one place in the tree at a time, and collects what is wrong. */
export class ModelReader {
  readonly problems: ModelProblem[] = []

  report(path: string, code: ProblemCode, params: ModelProblem['params'] = {}): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path, code, params })
  }

  object(value: unknown, path: string): Record<string, unknown> | null {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    this.report(path, 'not_object')
    return null
  }

  /** An absent list is an empty one. A list that is too long is reported and not read at all. */
  list(value: unknown, path: string, max: number): unknown[] {
    if (value === undefined || value === null) return []
    if (!Array.isArray(value)) {
      this.report(path, 'not_array')
      return []
    }
    if (value.length > max) {
      this.report(path, 'too_many', { max, count: value.length })
      return []
    }
    return value
  }

  /** The objects of a list, each with its own path; what is no object is reported and left out. */
  objects(value: unknown, path: string, max: number): { input: Record<string, unknown>; here: string }[] {
    return this.list(value, path, max).flatMap((item, i) => {
      const here = `${path}[${i}]`
      const input = this.object(item, here)
      return input ? [{ input, here }] : []
    })
  }

  text(value: unknown, path: string, max: number): string | undefined {
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') {
      this.report(path, 'not_text')
      return undefined
    }
    if (value.length > max) {
      this.report(path, 'text_too_long', { max })
      return undefined
    }
    if (!isStorableText(value)) {
      this.report(path, 'text_not_storable')
      return undefined
    }
    return value
  }

  /** As {@link text}; an empty text counts as absent. */
  someText(value: unknown, path: string, max: number): string | undefined {
    return this.text(value, path, max) || undefined
  }

  number(value: unknown, path: string, min: number, max: number): number | undefined {
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      this.report(path, 'not_number')
      return undefined
    }
    if (value < min || value > max) {
      this.report(path, 'number_out_of_range', { min, max })
      return undefined
    }
    return value + 0
  }

  integer(value: unknown, path: string, min: number, max: number): number | undefined {
    const number = this.number(value, path, min, max)
    if (number === undefined || Number.isInteger(number)) return number
    this.report(path, 'not_integer')
    return undefined
  }

  boolean(value: unknown, path: string): boolean | undefined {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
    this.report(path, 'not_boolean')
    return undefined
  }

  choice<T extends string>(value: unknown, path: string, choices: readonly T[]): T | undefined {
    if (value === undefined || value === null) return undefined
    const found = choices.find(choice => choice === value)
    if (found === undefined) this.report(path, 'choice_unknown', { choices: choices.join(', ') })
    return found
  }
}

/** Leaves out absent fields, so that equal models have equal JSON. */
export function compact<T extends object>(object: T): T {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key]
  return object
}
