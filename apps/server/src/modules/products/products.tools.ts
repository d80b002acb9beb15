import { LINK_TYPES, productsContract } from '@thingwright/contracts/products.contract'
import type { Param, ThingModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { enumerated, linkTo, pages, said, strong, toolInput, withCommonTexts } from '../../lib/tools/thing-kit.ts'
import {
  type Card,
  defineTool,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { modelOf, nameOf, typeText } from './model-words.ts'
import { productMention } from './product.finder.ts'
import { changeProductTools } from './products.change.tools.ts'
import words from './products.tools.json' with { type: 'json' }

const ROWS = 20
export type LinkWord = (typeof LINK_TYPES)[number]

/** The way of connecting in words. */
export function linkText(t: ToolContext, link: LinkWord): string {
  return words.list_products.texts[`link_${link}`][t.locale]
}

export const linkInput = Type.Optional(
  Type.Unsafe<LinkWord>({ type: 'string', enum: [...LINK_TYPES], description: 'How its devices connect' }),
)

const listProducts = defineTool({
  name: 'list_products',
  class: 'read',
  permission: 'product:read',
  description: 'Lists the products of the company, narrowed by a text, the link type or the state, with their devices.',
  input: toolInput({
    text: said('Text in name or key of the products'),
    link: linkInput,
    state: Type.Optional(
      Type.Unsafe<'draft' | 'published'>({ type: 'string', enum: ['draft', 'published'], description: 'Only these' }),
    ),
  }),
  words: withCommonTexts(words.list_products),
  async run(t, input): Promise<ToolResult> {
    const q = input.text?.trim().slice(0, 128)
    const { items, total = items.length } = await t.call(productsContract.list, {
      query: {
        ...(q ? { q } : {}),
        ...(input.link ? { linkType: input.link } : {}),
        ...(input.state ? { status: input.state } : {}),
        limit: ROWS,
        total: '1',
      },
    })
    const parts = [
      ...(q ? [`“${quoted(q)}”`] : []),
      ...(input.link ? [linkText(t, input.link)] : []),
      ...(input.state ? [t.say(input.state)] : []),
    ]
    const what = parts.length > 0 ? t.say('narrowedBy', { parts: enumerated(t, parts) }) : ''
    if (total === 0)
      return { text: t.say(parts.length > 0 ? 'noneFit' : 'noneAtAll', { what }), data: { total: 0, products: [] } }
    return {
      text: t.say(total > items.length ? 'foundSome' : 'found', { total, shown: items.length, what }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('name') },
            { key: 'link', title: t.say('linkType') },
            { key: 'devices', title: t.say('device'), numeric: true },
            { key: 'online', title: t.say('online'), numeric: true },
            { key: 'state', title: t.say('state') },
          ],
          rows: items.map(product => ({
            name: { text: product.name, to: pages.product(product.id) },
            link: { text: linkText(t, product.linkType) },
            devices: { text: String(product.deviceCount), to: pages.devices({ productId: product.id }) },
            online: { text: String(product.onlineCount) },
            state: { text: t.say(product.status) },
          })),
          total,
          link: { title: t.say('openList'), to: pages.products(q ? { q } : {}) },
        },
      ],
      data: {
        total,
        products: items.map(({ id, name, productKey, linkType, status, deviceCount, onlineCount }) => ({
          id,
          name,
          productKey,
          linkType,
          status,
          deviceCount,
          onlineCount,
        })),
      },
      mentions: items.length === 1 ? [productMention(items[0]!)] : [],
    }
  },
})

/** A product with its published model, or the draft of one that was never published. */
async function productOf(t: ToolContext, text: string | undefined) {
  const mention = await t.find('product', text)
  const product = await t.call(productsContract.get, { params: { id: mention.id } })
  return { product, model: modelOf(product.publishedModel ?? product.thingModel), mention: productMention(product) }
}

const productDetail = defineTool({
  name: 'product_detail',
  class: 'read',
  permission: 'product:read',
  description: 'One product: key, link type, kind of node, state, devices, data format, size of its thing model.',
  input: toolInput({ product: said('Name, key or id of the product') }),
  words: withCommonTexts(words.product_detail),
  async run(t, input): Promise<ToolResult> {
    const { product, model, mention } = await productOf(t, input.product)
    const rows: [string, string][] = [
      [t.say('key'), `\`${product.productKey}\``],
      [t.say('linkType'), linkText(t, product.linkType)],
      [t.say('node'), t.say(`node_${product.nodeType}`)],
      [t.say('state'), `${t.say(product.status)}${product.modelChanged ? t.say('draftDiffers') : ''}`],
      [t.say('device'), t.say('devices', { total: product.deviceCount, online: product.onlineCount })],
      [
        t.say('model'),
        t.say('parts', {
          properties: model.properties.length,
          events: model.events.length,
          services: model.services.length,
        }),
      ],
      [t.say('format'), quoted(String(product.format.kind ?? 'json'))],
      ...(product.description ? [[t.say('description'), quoted(product.description)] as [string, string]] : []),
    ]
    const links = [
      linkTo(t.say('openProduct'), pages.product(product.id)),
      linkTo(t.say('openDevices'), pages.devices({ productId: product.id })),
    ]
    return {
      text: [
        strong(product.name),
        ...rows.map(([name, text]) => `- ${name}${t.say('colon')}${text}`),
        '',
        links.join(' · '),
      ].join('\n'),
      data: {
        id: product.id,
        name: product.name,
        productKey: product.productKey,
        linkType: product.linkType,
        nodeType: product.nodeType,
        status: product.status,
        deviceCount: product.deviceCount,
        onlineCount: product.onlineCount,
        properties: model.properties.slice(0, 30).map(({ identifier }) => identifier),
      },
      mentions: [mention],
    }
  },
})

const thingModel = defineTool({
  name: 'product_model',
  class: 'read',
  permission: 'product:read',
  description:
    'The thing model of a product: its properties with type, unit and access, its events and services. Use it before setting properties or calling services.',
  input: toolInput({ product: said('Name, key or id of the product') }),
  words: withCommonTexts(words.product_model),
  async run(t, input): Promise<ToolResult> {
    const { product, model, mention } = await productOf(t, input.product)
    const counts = {
      name: strong(product.name),
      properties: model.properties.length,
      events: model.events.length,
      services: model.services.length,
      page: linkTo(t.say('openProduct'), pages.product(product.id)),
    }
    const empty = model.properties.length + model.events.length + model.services.length === 0
    return {
      text: [
        t.say(empty ? 'empty' : 'counts', counts),
        ...(model.services.length > 0
          ? [
              t.say('servicesAre', {
                services: enumerated(
                  t,
                  model.services.map(one => `${quoted(nameOf(one, t.locale))} (${quoted(one.identifier)})`),
                ),
              }),
            ]
          : []),
        ...(model.events.length > 0
          ? [
              t.say('eventsAre', {
                events: enumerated(
                  t,
                  model.events.map(one => `${quoted(nameOf(one, t.locale))} (${quoted(one.identifier)})`),
                ),
              }),
            ]
          : []),
        ...(product.modelChanged ? [t.say('draftDiffers')] : []),
      ].join('\n\n'),
      cards: model.properties.length > 0 ? [propertyTable(t, product, model)] : [],
      data: dataOf(model),
      mentions: [mention],
    }
  },
})

function propertyTable(t: ToolContext, product: Pick<Mention, 'id' | 'name'>, model: ThingModel): Card {
  return {
    kind: 'table',
    title: t.say('title', { name: product.name }),
    columns: [
      { key: 'name', title: t.say('name') },
      { key: 'identifier', title: t.say('identifier') },
      { key: 'type', title: t.say('type') },
      { key: 'unit', title: t.say('unit') },
      { key: 'access', title: t.say('access') },
    ],
    rows: model.properties.slice(0, 60).map(property => ({
      name: { text: nameOf(property, t.locale) },
      identifier: { text: property.identifier },
      type: { text: typeText(property.dataType, t.locale) },
      unit: { text: property.unit ?? '' },
      access: { text: t.say(`access_${property.access}`) },
    })),
    total: model.properties.length,
    link: { title: t.say('openProduct'), to: pages.product(product.id) },
  }
}

/** The model as a program reads it, short. */
function dataOf(model: ThingModel): object {
  const param = ({ identifier, name, dataType, unit }: Param) => ({
    identifier,
    name,
    type: typeText(dataType, 'en').slice(0, 120),
    ...(unit ? { unit } : {}),
  })
  return {
    properties: model.properties.slice(0, 40).map(property => ({ ...param(property), access: property.access })),
    events: model.events.slice(0, 15).map(({ identifier, name, level }) => ({ identifier, name, level })),
    services: model.services
      .slice(0, 15)
      .map(({ identifier, name, input }) => ({ identifier, name, input: input.slice(0, 8).map(param) })),
  }
}

/** What can be asked and done about products. */
export const productsTools: readonly Tool[] = [listProducts, productDetail, thingModel, ...changeProductTools]
