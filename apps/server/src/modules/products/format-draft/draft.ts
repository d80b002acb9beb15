import { draftBytes } from './byte-layout.ts'
import type { Draft, PastedFrame } from './draft-types.ts'
import { type Pasted, readPasted } from './read-text.ts'
import { draftRegisters } from './register-table.ts'
import { draftJson, draftText } from './text-frames.ts'

/** What a pasted text can mean: the likeliest first. */
export interface Drafts {
  pasted: Pasted
  drafts: Draft[]
}

/** Reads a passage of a manual, frames, or both. Tries nothing: see trial.ts. */
export function draftFormats(text: string, more: readonly PastedFrame[] = []): Drafts {
  const pasted = readPasted(text)
  const frames = [...pasted.frames, ...more]
  const { lines } = pasted
  const drafts: (Draft | null)[] = [draftJson(frames, lines), draftRegisters(lines)]
  const lengths = new Set(frames.filter(frame => frame.encoding === 'hex').map(frame => frame.payload.length / 2))
  const [only] = lengths
  const frameLength = lengths.size === 1 ? only! : null
  for (const endian of ['big', 'little'] as const) drafts.push(draftBytes(lines, { frameLength, endian }))
  drafts.push(draftText(frames, lines))
  const found = drafts.filter(draft => draft !== null)
  // A byte order that was said leaves no choice.
  return {
    pasted: { frames, lines },
    drafts: found.filter((draft, i) => found.findIndex(other => sameFormat(draft, other)) === i),
  }
}

function sameFormat(a: Draft, b: Draft): boolean {
  const names = a.fields.map((_, i) => `p${i}`)
  return a.fields.length === b.fields.length && JSON.stringify(a.build(names)) === JSON.stringify(b.build(names))
}
