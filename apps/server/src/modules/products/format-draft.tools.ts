import type { FormatBody } from '@thingwright/contracts/format-schemas'
import { formatsContract } from '@thingwright/contracts/formats.contract'
import { type ProductDetail, productsContract } from '@thingwright/contracts/products.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { Type } from 'typebox'
import { listed, NOTHING } from '../../lib/tools/tool-kit.ts'
import {
  type Card,
  defineTool,
  type PlannedCall,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
} from '../../lib/tools/tools.ts'
import {
  canSave,
  completeFormat,
  type FoundDraft,
  findDraft,
  frameText,
  knownProperties,
  type NewProperty,
} from './format-draft/find-draft.ts'
import { isUsable } from './format-draft/trial.ts'
import words from './format-draft.tools.json' with { type: 'json' }
import { modelOf } from './model-words.ts'
import { productMention } from './product.finder.ts'

const PAGE = '/manage/product/ProductSet/ProductFormat'
/** interfaces.md §3: the longest question; what offers to save must fit into one. */
const LONGEST_OFFER = 3600
const COLUMNS = 8

const inputs = {
  product: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the product whose devices send this' })),
  text: Type.Optional(
    Type.String({
      maxLength: 16_000,
      description:
        'The passage of the manual and the frames, as pasted. Best one line a value: "byte 3-4 temperature int16 big ×0.1 ℃", "40001 voltage uint16 ×0.1", "bit0 of byte 5: door", "comma separated: temperature, humidity"',
    }),
  ),
  frames: Type.Optional(
    Type.String({ maxLength: 16_000, description: 'Frames, one a line: hex digits or text (JSON included)' }),
  ),
  format: Type.Optional(
    Type.String({
      maxLength: 16_000,
      description:
        'Instead of a manual: a format as JSON of the API ({"kind":"label"|"modbus"|"json"|"script"|"cayenne", …}), to be tried on the frames',
    }),
  ),
}
const pageOf = (product: ProductDetail) => `${PAGE}?id=${product.id}`

const draftFormat = defineTool({
  name: 'draft_format',
  class: 'read',
  permission: 'product:read',
  description:
    'Drafts a data format for a product from a pasted manual (byte tables, Modbus register lists, separators, keys) and/or frames (hex, text, JSON), in Chinese or English, tries it on the frames with the product’s own try-out, and shows decoded values per frame, what was guessed and what is missing. Changes nothing; save_format saves it.',
  input: Type.Object(inputs, { additionalProperties: false }),
  words: words.draft_format,
  async run(t, input) {
    const found = await findDraft(t, input)
    const { product, tried, frames, missing } = found
    const read = tried.outcomes.filter(outcome => outcome.ok).length
    const lines = [
      t.say('head', {
        product: quoted(product.name),
        kind: t.say(`kind_${tried.draft.kind}`),
        count: tried.draft.fields.length,
      }),
      tried.outcomes.length === 0
        ? t.say(frames.length === 0 ? 'noFrames' : 'notTried')
        : t.say(read === tried.outcomes.length ? 'allRead' : 'someRead', { ok: read, count: tried.outcomes.length }),
      ...failureLines(t, found),
      ...(found.guesses.length > 0 ? ['', t.say('guessed'), ...guessLines(t, found)] : []),
      ...(missing.length > 0
        ? [
            '',
            t.say('missing', {
              names: listed(
                t,
                missing.map(one => `**${quoted(one.name)}**`),
              ),
            }),
          ]
        : []),
    ]
    return {
      text: lines.join('\n'),
      cards: [
        fieldsCard(t, found),
        ...(tried.outcomes.length > 0 ? [framesCard(t, found)] : []),
        {
          kind: 'code',
          title: t.say('formatTitle'),
          blocks: [{ title: 'JSON', language: 'json', text: JSON.stringify(tried.format, null, 2).slice(0, 8000) }],
        },
        ...offers(t, found),
        { kind: 'links', title: product.name, items: [{ title: t.say('page'), to: pageOf(product) }] },
      ],
      data: {
        product: product.name,
        format: tried.format,
        read,
        frames: tried.outcomes.length,
        decoded: tried.outcomes.slice(0, 5).map((outcome, i) => ({
          frame: i + 1,
          ok: outcome.ok,
          reason: outcome.reason,
          values: Object.fromEntries(tried.draft.fields.map((field, n) => [field.name, outcome.values[n] ?? null])),
        })),
        guesses: guessLines(t, found),
        missing,
      },
      mentions: [productMention(product)],
    }
  },
})

function failureLines(t: ToolContext, { tried }: FoundDraft): string[] {
  return tried.outcomes
    .map((outcome, i) => ({ outcome, i }))
    .filter(({ outcome }) => !outcome.ok)
    .slice(0, 5)
    .map(({ outcome, i }) =>
      t.say('failed', {
        n: i + 1,
        reason: quoted([outcome.reason, outcome.path].filter(Boolean).join(' ')),
      }),
    )
}

const guessLines = (t: ToolContext, { guesses }: FoundDraft): string[] =>
  guesses.map(({ key, values = {} }) =>
    t.say(key, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, quoted(String(value))]))),
  )

function fieldsCard(t: ToolContext, { tried, missing }: FoundDraft): Card {
  const open = [...missing]
  return {
    kind: 'table',
    title: t.say('fieldsTitle'),
    columns: ['Where', 'Name', 'Property', 'Reading'].map(key => ({ key, title: t.say(`col${key}`) })),
    rows: tried.draft.fields.map((field, i) => {
      const identifier = tried.identifiers[i]
      const added = identifier || field.name === '' ? null : open.shift()
      return {
        Where: { text: field.where },
        Name: { text: field.name || NOTHING },
        Property: { text: identifier ?? (added ? t.say('notThere') : t.say('skipped')) },
        Reading: { text: readingOf(tried.draft.build(tried.draft.fields.map((_, n) => `p${n}`)), i) },
      }
    }),
  }
}

/** Type, order and scale of the field at a place, in short. */
function readingOf(format: FormatBody, i: number): string {
  const name = `p${i}`
  const register = format.registers?.find(one => one.identifier === name)
  const value = format.values?.find(one => one.identifier === name)
  const field = format.frames?.flatMap(frame => frame.fields)[i]
  const scaled = ({ scale, offset }: { scale?: number; offset?: number }) => [
    scale === undefined ? '' : `\u00d7${scale}`,
    offset === undefined ? '' : offset > 0 ? `+${offset}` : String(offset),
  ]
  const parts = register
    ? [register.dataType, register.byteOrder ?? '', ...scaled(register)]
    : field
      ? [field.type, field.endian === 'little' ? 'little' : '', ...scaled(field)]
      : value
        ? scaled(value)
        : []
  return parts.filter(Boolean).join(' ') || NOTHING
}

function framesCard(t: ToolContext, { tried }: FoundDraft): Card {
  const shown = tried.draft.fields.map((field, i) => ({ field, i })).slice(0, COLUMNS)
  return {
    kind: 'table',
    title: t.say('framesTitle'),
    columns: [
      { key: 'frame', title: t.say('colFrame') },
      { key: 'result', title: t.say('colResult') },
      ...shown.map(({ field, i }) => ({
        key: `v${i}`,
        title: `${field.name || field.where}${field.unit ? ` (${field.unit})` : ''}`,
        numeric: field.value === 'number',
      })),
    ],
    rows: tried.outcomes.map(outcome => ({
      frame: { text: frameText(outcome.frame) },
      result: { text: outcome.ok ? t.say('ok') : t.say('bad', { reason: outcome.reason ?? '' }) },
      ...Object.fromEntries(shown.map(({ i }) => [`v${i}`, { text: valueText(outcome.values[i]) }])),
    })),
  }
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return NOTHING
  if (typeof value === 'number') return String(Number(value.toPrecision(10)))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What can be done with the draft next; nothing that would not fit into a question. */
function offers(t: ToolContext, found: FoundDraft): Card[] {
  const { product, tried, missing } = found
  const options: { label: string; input: string }[] = []
  const offer = (label: string, body: object) => {
    const input = t.say('saveInput', { product: product.name, format: JSON.stringify(body) })
    if (input.length <= LONGEST_OFFER) options.push({ label, input })
  }
  if (missing.length > 0)
    offer(t.say('offerAll', { count: missing.length }), { format: completeFormat(found), add: missing })
  if (canSave(found)) offer(t.say('offer', { product: product.name }), tried.format)
  return options.length === 0
    ? []
    : [{ kind: 'choices', id: `save-format-${product.id}`, question: t.say('offerQuestion'), options }]
}

const saveFormat = defineTool({
  name: 'save_format',
  class: 'write',
  permission: 'product:write',
  description:
    'Saves a drafted data format to a product (the format as JSON, or the manual and frames again), after trying it. `add_missing` adds properties that the product lacks and publishes its model. Can be taken back.',
  input: Type.Object(
    {
      ...inputs,
      add_missing: Type.Optional(Type.Boolean({ description: 'Add the properties that the product lacks' })),
    },
    { additionalProperties: false },
  ),
  words: words.save_format,
  async prepare(t, input) {
    if (!input.text && !input.format && !input.frames) throw new ToolProblem(t.say('nothingGiven'))
    // Where it is saved is never guessed.
    const { id } = await t.find('product', input.product)
    const found = await findDraft(t, { ...input, product: id })
    const { product, tried, missing } = found
    const adds = (input.add_missing || input.format) && missing.length > 0 ? missing : []
    const format = adds.length > 0 ? completeFormat(found) : tried.format
    if (!isUsable(format) || (adds.length === 0 && !canSave(found)))
      throw new ToolProblem(t.say('noProperty', { product: quoted(product.name) }), {
        title: t.say('page'),
        to: pageOf(product),
      })
    const failed = tried.outcomes.filter(outcome => !outcome.ok).length
    if (tried.outcomes.length > 0 && failed === tried.outcomes.length) throw new ToolProblem(t.say('readsNone'))
    if (adds.length === 0) await refuseBrokenSamples(t, product, format)
    const model = adds.length > 0 ? modelCalls(t, product, adds) : []
    return {
      calls: [
        ...model,
        plannedCall(formatsContract.setFormat, {
          params: { id: product.id },
          body: { ...format, ...(model.length > 0 ? {} : { version: product.version }) },
        }),
      ],
      effects: [
        t.say('effect', {
          product: quoted(product.name),
          kind: t.say(`kind_${format.kind}`),
          count: product.deviceCount,
        }),
        ...(adds.length > 0
          ? [
              t.say('adds', {
                names: quoted(
                  listed(
                    t,
                    adds.map(one => one.name),
                  ),
                ),
              }),
            ]
          : []),
        ...(tried.outcomes.length > 0
          ? [t.say('tried', { ok: tried.outcomes.length - failed, count: tried.outcomes.length })]
          : []),
        ...found.guesses
          .slice(0, 5)
          .map(({ key, values = {} }) =>
            t.say(
              key,
              Object.fromEntries(Object.entries(values).map(([name, value]) => [name, quoted(String(value))])),
            ),
          ),
      ],
      changes: [
        { field: t.say('field'), before: shortJson(product.format), after: shortJson(format) },
        ...adds.map(one => ({
          field: t.say('property'),
          before: null,
          after: `${one.name}${one.unit ? ` (${one.unit})` : ''}: ${one.identifier}`,
        })),
      ],
      object: productMention(product),
      memo: {
        before: Object.keys(product.format).length > 0 ? product.format : { kind: 'json' },
        model: adds.length > 0 ? product.modelVersion : null,
      },
    }
  },
  async finish(t, { results, memo }) {
    const product = results.at(-1) as ProductDetail
    const { before, model } = memo as { before: FormatBody; model: number | null }
    return {
      result: {
        text: t.say('done', { product: quoted(product.name) }),
        cards: [{ kind: 'links', title: product.name, items: [{ title: t.say('page'), to: pageOf(product) }] }],
        mentions: [productMention(product)],
        data: { id: product.id, kind: product.format.kind },
      },
      undo: [
        // Samples of the new format must not keep the old one out.
        plannedCall(formatsContract.setFormat, { params: { id: product.id }, body: { ...before, force: true } }),
        ...(model !== null && model > 0
          ? [plannedCall(thingModelsContract.rollBack, { params: { id: product.id, number: model }, body: {} })]
          : []),
      ],
    }
  },
})

const shortJson = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 600 ? `${text.slice(0, 600)}\u2026` : text
}

/** The samples that guard the product's format must pass the new one too. */
async function refuseBrokenSamples(t: ToolContext, product: ProductDetail, format: FormatBody): Promise<void> {
  const { results } = await t.call(formatsContract.runSamples, { params: { id: product.id }, body: { format } })
  const failed = results.filter(result => !result.ok)
  if (failed.length > 0)
    throw new ToolProblem(
      t.say('samplesFail', {
        product: quoted(product.name),
        count: failed.length,
        names: quoted(
          listed(
            t,
            failed.slice(0, 5).map(one => one.name),
          ),
        ),
      }),
      { title: t.say('page'), to: pageOf(product) },
    )
}

/** Adds properties to the model and publishes it. @throws ToolProblem when the draft holds changes of somebody */
function modelCalls(t: ToolContext, product: ProductDetail, adds: readonly NewProperty[]): PlannedCall[] {
  if (product.status !== 'published' || product.modelChanged)
    throw new ToolProblem(t.say('modelOpen', { product: quoted(product.name) }), {
      title: t.say('modelPage'),
      to: `/manage/product/ProductSet/ProductSetInfo?id=${product.id}`,
    })
  const model = modelOf(product.thingModel)
  const taken = new Set(knownProperties(product).map(one => one.identifier))
  const added = adds
    .filter(one => !taken.has(one.identifier))
    .map(one => ({
      identifier: one.identifier,
      name: one.name,
      access: 'r',
      dataType: { type: 'double' },
      ...(one.unit ? { unit: one.unit } : {}),
    }))
  return [
    plannedCall(productsContract.setThingModel, {
      params: { id: product.id },
      body: {
        version: product.version,
        ...(model as unknown as { events: Record<string, unknown>[]; services: Record<string, unknown>[] }),
        properties: [...model.properties, ...added] as unknown as Record<string, unknown>[],
      },
    }),
    plannedCall(thingModelsContract.publish, {
      params: { id: product.id },
      body: {
        note: listed(
          t,
          added.map(one => one.name),
        ).slice(0, 200),
      },
    }),
  ]
}

export const formatDraftTools: readonly Tool[] = [draftFormat, saveFormat]
