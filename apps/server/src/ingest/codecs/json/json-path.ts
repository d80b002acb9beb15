/** A place in a JSON value: names and indices from the top down. */
export interface JsonPath {
  /** Begins with `$`: counted from the whole message. */
  readonly absolute: boolean
  readonly steps: readonly (string | number)[]
}

const STEP = /\.?([A-Za-z0-9_\-\u0080-\uffff]+)|\[(\d{1,5})\]|\[(?:"([^"\]]*)"|'([^'\]]*)')\]/y
const MAX_STEPS = 16

/** Reads `data1`, `$.a.b[0]`, `["a b"].c`. Undefined: not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const trimmed = text.trim()
  const absolute = trimmed.startsWith('$')
  const steps: (string | number)[] = []
  let at = absolute ? 1 : 0
  while (at < trimmed.length) {
    STEP.lastIndex = at
    const match = STEP.exec(trimmed)
    if (!match || steps.length >= MAX_STEPS) return undefined
    const [all, name, index, double, single] = match
    // Names after the first need their point.
    if (name !== undefined && steps.length > 0 && !all.startsWith('.')) return undefined
    steps.push(index === undefined ? (name ?? double ?? single)! : Number(index))
    at += all.length
  }
  return absolute || steps.length > 0 ? { absolute, steps } : undefined
}

/** What stands at a path; undefined where nothing does. Only own fields count. */
export function valueAt(steps: JsonPath['steps'], from: unknown): unknown {
  let value = from
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined
    else value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined
  }
  return value
}

/** Puts a value at a path, making what is missing on the way. */
export function putAt(steps: JsonPath['steps'], into: Record<string, unknown>, value: unknown): void {
  let place: Record<string | number, unknown> = into
  for (let i = 0; i < steps.length - 1; i++) {
    const step = steps[i]!
    const next = Object.hasOwn(place, step) ? place[step] : undefined
    if (typeof next === 'object' && next !== null) place = next as Record<string, unknown>
    else {
      const made = typeof steps[i + 1] === 'number' ? [] : {}
      putOwn(place, step, made)
      place = made as Record<string | number, unknown>
    }
  }
  putOwn(place, steps.at(-1)!, value)
}

/** As an own field whatever the name is: `__proto__` is a name like any other. */
export function putOwn(place: object, step: string | number, value: unknown): void {
  Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true })
}
