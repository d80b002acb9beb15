export interface FieldChange {
  /** `a.b[2].c` */
  path: string
  before: string | null
  after: string | null
  kind: 'added' | 'removed' | 'changed' | 'same'
}

/** Fields shown at most; a whole thing model has thousands. */
export const MAX_FIELDS = 500

const isPlain = (value: unknown) => typeof value !== 'object' || value === null
/** A text as it is; an empty one must be told from none. */
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value))

/** Every value of a tree by its path; empty lists and objects count as values, and so do lists of plain values. */
function flat(value: unknown, path: string, into: Map<string, string>): void {
  if (into.size > MAX_FIELDS * 2) return
  if (Array.isArray(value) && value.length > 0 && value.every(isPlain)) {
    into.set(path, value.map(textOf).join(', '))
  } else if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries()) flat(item, `${path}[${index}]`, into)
  } else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) flat(inner, path === '' ? key : `${path}.${key}`, into)
  } else {
    into.set(path, textOf(value))
  }
}

function valuesOf(record: Record<string, unknown> | null): Map<string, string> {
  const values = new Map<string, string>()
  if (record) for (const [key, value] of Object.entries(record)) flat(value, key, values)
  return values
}

/** What is different between two states of an object, field by field in the order in which they stand. */
export function changesOf(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
): { fields: FieldChange[]; cut: boolean } {
  const [old, now] = [valuesOf(before), valuesOf(after)]
  const fields = [...new Set([...old.keys(), ...now.keys()])].map((path): FieldChange => {
    const [was, is] = [old.get(path) ?? null, now.get(path) ?? null]
    const kind = was === null ? 'added' : is === null ? 'removed' : was === is ? 'same' : 'changed'
    return { path, before: was, after: is, kind }
  })
  return { fields: fields.slice(0, MAX_FIELDS), cut: fields.length > MAX_FIELDS }
}
