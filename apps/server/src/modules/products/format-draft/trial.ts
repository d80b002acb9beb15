import type { FormatBody } from '@thingwright/contracts/format-schemas'
import { formatsContract, type TryReply } from '@thingwright/contracts/formats.contract'
import type { CallApi } from '../../../lib/tools/tools.ts'
import type { Draft, DraftField, PastedFrame } from './draft-types.ts'
import { isPlausible, type KnownProperty, matchProperties } from './match-properties.ts'

/** What became of one frame. */
export interface FrameOutcome {
  frame: PastedFrame
  ok: boolean
  reason: string | null
  path: string | null
  /** One for each field of the draft; undefined: no value came out. */
  values: unknown[]
}

/** A draft with its fields matched to a product and tried by the product itself. */
export interface TriedDraft {
  draft: Draft
  identifiers: (string | null)[]
  format: FormatBody
  outcomes: FrameOutcome[]
  /** How well it reads the frames, 0 to 1; with no frame: how much of it the product knows. */
  score: number
}

/** Tries a draft on frames through the product's own try-out. @throws AppError as the route answers */
export async function tryDraft(
  call: CallApi,
  productId: string,
  draft: Draft,
  frames: readonly PastedFrame[],
  properties: readonly KnownProperty[],
): Promise<TriedDraft> {
  const identifiers = matchProperties(draft.fields, properties)
  const format = draft.build(identifiers)
  const outcomes: FrameOutcome[] = []
  if (isUsable(format))
    for (const frame of frames) outcomes.push(await tryFrame(call, productId, draft, identifiers, format, frame))
  const known = identifiers.filter(Boolean).length / Math.max(1, identifiers.length)
  const reads = outcomes.map(outcome => goodness(outcome, draft, identifiers, properties))
  const average = reads.reduce((sum, one) => sum + one, 0) / Math.max(1, reads.length)
  const score = frames.length === 0 ? 0.5 + known / 4 : isUsable(format) ? average * 0.9 + known * 0.1 : 0
  return { draft, identifiers, format, outcomes, score }
}

/** Whether anything would come out of it at all. */
export function isUsable(format: FormatBody): boolean {
  if (format.kind === 'modbus') return (format.registers ?? []).length > 0
  if (format.kind === 'json') return (format.values ?? []).length > 0
  if (format.kind === 'label')
    return Boolean(format.label) || (format.frames ?? []).some(frame => frame.fields.length > 0)
  return true
}

async function tryFrame(
  call: CallApi,
  productId: string,
  draft: Draft,
  identifiers: readonly (string | null)[],
  format: FormatBody,
  frame: PastedFrame,
): Promise<FrameOutcome> {
  const reply = await call(formatsContract.tryFormat, {
    params: { id: productId },
    body: { format, payload: frame.payload, encoding: frame.encoding },
  })
  // Bits of one byte stand at the same place, in their order.
  const before = (i: number) =>
    draft.fields.slice(0, i).filter((other, n) => other.at === draft.fields[i]!.at && !identifiers[n]).length
  const values = draft.fields.map((field, i) => readingIn(reply, field, identifiers[i] ?? null, before(i)))
  return { frame, ok: reply.ok, reason: reply.reason, path: reply.path, values }
}

function readingIn(reply: TryReply, field: DraftField, identifier: string | null, before: number): unknown {
  if (identifier) for (const row of reply.rows) if (Object.hasOwn(row.values, identifier)) return row.values[identifier]
  // A field without a property is only marked: the explanation holds what was read.
  if (identifier || field.at === undefined) return undefined
  const marked = reply.fields.filter(one => one.at === field.at && one.role === 'ignore')
  return marked[before]?.value ?? undefined
}

function goodness(
  outcome: FrameOutcome,
  draft: Draft,
  identifiers: readonly (string | null)[],
  properties: readonly KnownProperty[],
): number {
  if (!outcome.ok) return 0
  const read = outcome.values
    .map((value, i) => ({ value, i }))
    .filter(({ value }) => value !== undefined && value !== null)
  if (read.length === 0) return 0.2
  const fine = read.filter(({ value, i }) =>
    isPlausible(
      draft.fields[i]!,
      value,
      properties.find(property => property.identifier === identifiers[i]),
    ),
  )
  return 0.4 + 0.6 * (fine.length / read.length)
}
