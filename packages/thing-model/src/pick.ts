import { type FieldTable, isRecord } from './compound-checkers.ts'
import { failure, printableKey, REFUSED, type Refused, refuse, refusedBelow, takeRefusal } from './refusal.ts'

/** What is good of an object, and what is not, each with its reason. */
export interface Picked {
  readonly ok: true
  readonly values: Record<string, unknown>
  /** At most {@link MOST_FAULTS} of them. */
  readonly faults: readonly Refused[]
  /** How many there were. */
  readonly faultCount: number
}

/** Faults of one message that are listed; beyond these they are counted. */
export const MOST_FAULTS = 20

/**
 * Keeps the fields of an object that its table takes and lists the others. Null means "no value" and is left out without
 * a word, except where null is a value (JSON). Of a struct or a position the good fields are kept as long as all that it
 * requires are among them. Returns a refusal when a required field is missing or bad. Changes nothing it was handed.
 */
export function pickFields(table: FieldTable, value: Record<string, unknown>): Picked | Refused {
  const faults = new Faults()
  const values = pick(table, value, faults)
  if (values === REFUSED) return takeRefusal()
  return { ok: true, values, faults: faults.listed, faultCount: faults.count }
}

class Faults {
  readonly listed: Refused[] = []
  count = 0

  /** Lists the refusal under way. */
  add(): void {
    this.count++
    if (this.listed.length < MOST_FAULTS) this.listed.push(takeRefusal())
  }

  /** Lists what was found inside of a field. */
  take(inner: Faults, below: string): void {
    for (const { reason, path, detail } of inner.listed) {
      Object.assign(failure, { reason, path, detail })
      refusedBelow(below)
      this.add()
    }
    this.count += inner.count - inner.listed.length
  }
}

function pick(
  table: FieldTable,
  value: Record<string, unknown>,
  faults: Faults,
): Record<string, unknown> | typeof REFUSED {
  const taken: [string, unknown][] = []
  const bad = new Map<string, Refused>()
  for (const key of Object.keys(value)) {
    const sent = value[key]
    const checker = table.checkers.get(key)
    if (checker === undefined) {
      refuse('property_unknown', 'not in the thing model')
      refusedBelow(printableKey(key))
      faults.add()
      continue
    }
    if (sent === null && !table.nullable.has(key)) continue
    const checked = checker(sent)
    if (checked !== REFUSED) {
      taken.push([key, checked])
      continue
    }
    const part = table.parts.get(key)
    if (part && isRecord(sent)) {
      if (Object.values(sent).every(inner => inner === null)) continue
      if (lacksForNull(part, sent)) continue
      const inner = new Faults()
      const kept = pick(part, sent, inner)
      if (kept !== REFUSED && Object.keys(kept).length > 0) {
        taken.push([key, kept])
        faults.take(inner, key)
        continue
      }
      if (kept !== REFUSED) {
        faults.take(inner, key)
        continue
      }
    }
    refusedBelow(key)
    bad.set(key, takeRefusal())
    faults.add()
  }
  for (const key of table.required) {
    if (Object.hasOwn(value, key) && !bad.has(key) && value[key] !== null) continue
    const known = bad.get(key)
    if (known) {
      Object.assign(failure, { reason: known.reason, path: known.path, detail: known.detail })
      return REFUSED
    }
    refuse('payload_shape', value[key] === null ? 'no value' : 'missing')
    return refusedBelow(key)
  }
  return Object.fromEntries(taken)
}

/** A position without a fix: what it requires is there, as null. */
function lacksForNull({ required }: FieldTable, sent: Record<string, unknown>): boolean {
  return required.length > 0 && required.every(key => sent[key] === null)
}
