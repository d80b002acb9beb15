import type { FormatBody } from '@thingwright/contracts/format-schemas'
import { formatsContract } from '@thingwright/contracts/formats.contract'
import { type ProductDetail, productsContract } from '@thingwright/contracts/products.contract'
import { type ToolContext, ToolProblem, ToolQuestion } from '../../../lib/tools/tools.ts'
import { modelOf } from '../model-words.ts'
import { draftFormats } from './draft.ts'
import type { Draft, Guess, PastedFrame } from './draft-types.ts'
import { type KnownProperty, matchProperties, suggestIdentifier } from './match-properties.ts'
import { hexLine, readPasted } from './read-text.ts'
import { isUsable, type TriedDraft, tryDraft } from './trial.ts'

/** What is asked for: a passage of a manual, frames, or a format that somebody else drafted. */
export interface DraftInput {
  product?: string | undefined
  text?: string | undefined
  frames?: string | undefined
  format?: string | undefined
}

/** A property that the product lacks. */
export interface NewProperty {
  identifier: string
  name: string
  unit?: string
}

export interface FoundDraft {
  product: ProductDetail
  frames: PastedFrame[]
  tried: TriedDraft
  guesses: Guess[]
  /** Fields without a property, each with one that could be added for it. */
  missing: NewProperty[]
}

/** Properties of a product as names are held against them. */
export function knownProperties(product: ProductDetail): KnownProperty[] {
  const model = modelOf(product.publishedModel ?? product.thingModel)
  return model.properties.map(({ identifier, name, ename, unit, access, dataType }) => {
    const { min, max } = dataType as { min?: unknown; max?: unknown }
    return {
      identifier,
      name,
      ename,
      unit,
      access,
      type: dataType.type,
      ...(typeof min === 'number' ? { min } : {}),
      ...(typeof max === 'number' ? { max } : {}),
    }
  })
}

/** Drafts a format for a product and has the product try it. @throws ToolProblem when nothing can be made of the input */
export async function findDraft(t: ToolContext, input: DraftInput): Promise<FoundDraft> {
  const product = await productFor(t, input)
  const properties = knownProperties(product)
  const more = framesGiven(input.frames)
  if (input.format !== undefined && input.format.trim() !== '') {
    const given = readFormat(t, input.format)
    const frames = [...readPasted(input.text ?? '').frames, ...more]
    const all = [...properties, ...given.add.map(one => ({ ...one, type: 'double' }))]
    // What is not there yet cannot be tried; the rest of the format is.
    const tried =
      given.add.length > 0
        ? {
            draft: given.draft,
            identifiers: given.draft.fields.map(one => one.name),
            format: given.format,
            outcomes: [],
            score: 1,
          }
        : await tryDraft(t.call, product.id, given.draft, frames, all)
    return {
      product,
      frames,
      tried,
      guesses: [],
      missing: given.add.filter(one => !properties.some(p => p.identifier === one.identifier)),
    }
  }
  const { pasted, drafts } = draftFormats(input.text ?? '', more)
  const { frames } = pasted
  const all = drafts.length > 0 ? drafts : await detected(t, product.id, frames)
  if (all.length === 0) throw new ToolProblem(t.say(frames.length > 0 ? 'onlyFrames' : 'nothingRead'))
  const tried: TriedDraft[] = []
  for (const draft of all) tried.push(await repaired(t, product.id, draft, frames, properties))
  const best = tried.toSorted((a, b) => b.score - a.score)[0]!
  if (best.draft.fields.every(field => field.name === '') && best.identifiers.every(one => one === null))
    throw new ToolProblem(t.say('onlyFrames'))
  return { product, frames, tried: best, guesses: best.draft.guesses, missing: missingOf(best, properties) }
}

/** The product that is meant; where none was named and several are there, the one that knows most of the values. */
async function productFor(t: ToolContext, input: DraftInput): Promise<ProductDetail> {
  const get = (id: string) => t.call(productsContract.get, { params: { id } })
  try {
    return await get((await t.find('product', input.product)).id)
  } catch (error) {
    if (!(error instanceof ToolQuestion) || input.product?.trim()) throw error
    const { drafts } = draftFormats(input.text ?? '', framesGiven(input.frames))
    let best: { product: ProductDetail; known: number } | null = null
    for (const { value } of error.options) {
      const product = await get(value)
      const properties = knownProperties(product)
      const known = Math.max(
        0,
        ...drafts.map(draft => matchProperties(draft.fields, properties).filter(Boolean).length),
      )
      if (known > (best?.known ?? 0)) best = { product, known }
    }
    if (!best) throw error
    return best.product
  }
}

function framesGiven(text: string | undefined): PastedFrame[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
    .slice(0, 20)
    .map(line => {
      const hex = hexLine(line, 1)
      return hex ? { encoding: 'hex', payload: hex } : { encoding: 'text', payload: line }
    })
}

/** A draft whose checksum is not the one of the frames gets that of the frames, or none. */
async function repaired(
  t: ToolContext,
  productId: string,
  draft: Draft,
  frames: readonly PastedFrame[],
  properties: readonly KnownProperty[],
): Promise<TriedDraft> {
  const first = await tryDraft(t.call, productId, draft, frames, properties)
  const wrong = first.outcomes.filter(outcome => outcome.reason === 'checksum')
  if (draft.kind !== 'label' || wrong.length === 0 || wrong.length < first.outcomes.length) return first
  const { proposals } = await t.call(formatsContract.detectFormat, {
    params: { id: productId },
    body: { payload: wrong[0]!.frame.payload, encoding: wrong[0]!.frame.encoding },
  })
  const real = proposals
    .map(proposal => (proposal.format as FormatBody).frames?.[0]?.checksum)
    .find(checksum => checksum !== undefined)
  if (!real) return first
  const changed: Draft = {
    ...draft,
    guesses: [...draft.guesses, { key: 'guessChecksum', values: { kind: real.kind } }],
    build(identifiers) {
      const body = draft.build(identifiers)
      return { ...body, frames: (body.frames ?? []).map(frame => ({ ...frame, checksum: real })) }
    },
  }
  const second = await tryDraft(t.call, productId, changed, frames, properties)
  return second.score > first.score ? second : first
}

/** What the product's own detection says of frames that nobody described. */
async function detected(t: ToolContext, productId: string, frames: readonly PastedFrame[]): Promise<Draft[]> {
  const [first] = frames
  if (!first) return []
  const { proposals } = await t.call(formatsContract.detectFormat, {
    params: { id: productId },
    body: { payload: first.payload, encoding: first.encoding },
  })
  // Bare bytes say nothing of what they mean: only forms that carry their meaning are drafts.
  return proposals
    .filter(({ looksLike }) => ['json', 'cayenne', 'nmea', 'modbus_rtu'].includes(looksLike))
    .map(({ format, looksLike }) => givenDraft(named(format as FormatBody), [{ key: `looksLike_${looksLike}` }]))
}

/** The format without what names no property. */
function named(format: FormatBody): FormatBody {
  if (format.kind === 'modbus')
    return { ...format, registers: (format.registers ?? []).filter(register => register.identifier !== '') }
  if (format.kind === 'cayenne')
    return { ...format, channels: (format.channels ?? []).filter(channel => channel.identifier !== '') }
  if (format.kind === 'json' && format.values)
    return { ...format, values: format.values.filter(value => value.identifier !== '') }
  return format
}

/** A format that is there already, with a field for each property that it names. */
function givenDraft(format: FormatBody, guesses: Guess[] = []): Draft {
  const names = new Set<string>()
  for (const register of format.registers ?? []) names.add(register.identifier)
  for (const value of format.values ?? []) names.add(value.identifier)
  for (const channel of format.channels ?? []) names.add(channel.identifier)
  for (const identifier of format.fields ?? []) if (identifier) names.add(identifier)
  for (const frame of format.frames ?? [])
    for (const field of frame.fields)
      if (field.identifier && (field.role ?? 'value') === 'value') names.add(field.identifier)
  const fields = [...names].map(name => ({ name, unit: null, value: 'number' as const, where: name }))
  return { kind: format.kind, fields, guesses, build: () => format }
}

function readFormat(t: ToolContext, text: string): { format: FormatBody; draft: Draft; add: NewProperty[] } {
  let value: unknown
  try {
    value = JSON.parse(text.trim().replace(/^```\w*|```$/g, ''))
  } catch {
    throw new ToolProblem(t.say('notJson'))
  }
  if (typeof value !== 'object' || value === null) throw new ToolProblem(t.say('notJson'))
  const whole = value as { format?: FormatBody; add?: NewProperty[]; kind?: string }
  const format = whole.format ?? (value as FormatBody)
  if (typeof format !== 'object' || format === null || typeof format.kind !== 'string')
    throw new ToolProblem(t.say('notJson'))
  const add = (Array.isArray(whole.add) ? whole.add : []).filter(
    one => typeof one?.identifier === 'string' && typeof one.name === 'string',
  )
  return { format, draft: givenDraft(format), add }
}

function missingOf(tried: TriedDraft, properties: readonly KnownProperty[]): NewProperty[] {
  const taken = new Set(properties.map(property => property.identifier))
  return tried.draft.fields.flatMap((field, i) => {
    if (tried.identifiers[i] || field.name === '') return []
    const identifier = suggestIdentifier(field, taken, i)
    taken.add(identifier)
    return [{ identifier, name: field.name, ...(field.unit ? { unit: field.unit } : {}) }]
  })
}

/** The format with the missing properties taken for added. */
export function completeFormat({ tried, missing }: FoundDraft): FormatBody {
  const open = [...missing]
  const identifiers = tried.draft.fields.map((field, i) => {
    if (tried.identifiers[i]) return tried.identifiers[i]
    return field.name === '' ? null : (open.shift()?.identifier ?? null)
  })
  return tried.draft.build(identifiers)
}

/** Whether the draft can be saved as it is. */
export const canSave = (found: FoundDraft): boolean =>
  isUsable(found.tried.format) && found.tried.identifiers.some(one => one !== null)

/** Text of a frame as a table shows it. */
export function frameText({ encoding, payload }: PastedFrame): string {
  const text = encoding === 'hex' ? (payload.toUpperCase().match(/../g) ?? []).join(' ') : payload
  return text.length > 96 ? `${text.slice(0, 96)}\u2026` : text
}
