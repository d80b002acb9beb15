import type { FormatBody } from '@thingwright/contracts/format-schemas'

/** Something that a draft did not find in what was pasted and took as likely; `key` is a text of the tool. */
export interface Guess {
  key: string
  values?: Record<string, string | number>
}

/** One value of a frame, as the pasted text calls it. */
export interface DraftField {
  /** As it is called there; empty: it is not. */
  name: string
  unit: string | null
  value: 'number' | 'bool' | 'text'
  /** Where it stands, for people: `byte 3–4`, `register 40001`. */
  where: string
  /** First byte, of binary frames. */
  at?: number
  bit?: number
}

/** What a pasted text says a format could be. */
export interface Draft {
  kind: FormatBody['kind']
  fields: DraftField[]
  /** The format with these properties in the order of the fields; null: the field has none. */
  build(identifiers: readonly (string | null)[]): FormatBody
  guesses: Guess[]
}

/** A frame as it was pasted. */
export interface PastedFrame {
  encoding: 'hex' | 'text'
  payload: string
}
