import type { SubscriptionItem, SubscriptionPayload } from '@thingwright/contracts/subscriptions.contract'
import { readItem } from './items.ts'
import { parseTemplate, renderTemplate, type Template, type TemplateProblem } from './template.ts'
import { type SensorNumbers, tlinkPush } from './tlink-push.ts'

/** What an item is written from. */
export interface StoredItem {
  readonly seq: number
  readonly at: number
  readonly device: number
  /** The envelope, JSON text. */
  readonly item: string
}

export interface PayloadContext {
  readonly tenantId: string
  /** Numbers and types of a product's properties; asked by the TLINK shape alone. */
  sensors(productKey: string): SensorNumbers
}

/** How the items of one subscription are written. */
export interface PayloadWriter {
  readonly contentType: string
  /** Items of one body at most: the TLINK shape has no list. */
  readonly maxItems: number
  /** Whether `sensors` is asked. */
  readonly needsSensors: boolean
  message(item: StoredItem, parsed: SubscriptionItem): string
  body(messages: readonly string[]): string
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\b/

/** @throws when the template is not right: it was checked when it was stored */
export function createPayloadWriter(payload: SubscriptionPayload, context: PayloadContext): PayloadWriter {
  switch (payload.format) {
    case 'envelope':
      return {
        contentType: 'application/json',
        maxItems: 100,
        needsSensors: false,
        message: ({ item }) => item,
        body: messages => `{"items":[${messages.join(',')}]}`,
      }
    case 'tlink':
      return {
        contentType: 'application/json',
        maxItems: 1,
        needsSensors: true,
        message: ({ device }, parsed) =>
          JSON.stringify(tlinkPush(parsed, device, context.tenantId, context.sensors(parsed.productKey))),
        body: messages => messages.join('\n'),
      }
    case 'template': {
      const { template, problems } = readTemplate(payload.template ?? '')
      if (problems.length > 0) throw new Error(`template: ${problems[0]!.code} at ${problems[0]!.at}`)
      const contentType = payload.contentType ?? 'application/json'
      const isJson = JSON_TYPE.test(contentType)
      return {
        contentType,
        maxItems: 100,
        needsSensors: false,
        message: (_, parsed) => renderTemplate(template, parsed, isJson),
        // Alone as it is; several as a JSON list, or as lines.
        body: messages =>
          messages.length === 1 ? messages[0]! : isJson ? `[${messages.join(',')}]` : messages.join('\n'),
      }
    }
  }
}

export function readTemplate(source: string): { template: Template; problems: readonly TemplateProblem[] } {
  const template = parseTemplate(source)
  return { template, problems: template.problems }
}

/** What is wrong with a payload on this item, beyond its grammar. */
export function trialProblems(payload: SubscriptionPayload, item: SubscriptionItem): TemplateProblem[] {
  if (payload.format !== 'template') return []
  const { template, problems } = readTemplate(payload.template ?? '')
  if (problems.length > 0) return [...problems]
  const isJson = JSON_TYPE.test(payload.contentType ?? 'application/json')
  const found: TemplateProblem[] = []
  const text = renderTemplate(template, item, isJson, ({ at, path }) => found.push({ at, code: 'missing', text: path }))
  if (isJson) {
    try {
      JSON.parse(text)
    } catch (error) {
      found.push({ at: 0, code: 'not_json', text: (error as Error).message.slice(0, 200) })
    }
  }
  return found
}

export const parseStored = ({ item }: StoredItem): SubscriptionItem => readItem(item)
