import { randomBytes } from 'node:crypto'
import { cloudPagesContract, type PageDetail, type PageView } from '@thingwright/contracts/cloud-pages.contract'
import { PAGE_STATES } from '@thingwright/contracts/cloud-pages.words'
import { devicesContract } from '@thingwright/contracts/devices.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { fromProduct, readScene, type ShownProperty } from '@thingwright/scene'
import { type Property, parseModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { nameIn, same, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import words from './cloud-pages.tools.json' with { type: 'json' }

const LIST = '/manage/user/center/cloudConfig'
const closed = { additionalProperties: false } as const
const SHOWN = 20
/** Devices of a product that a visitor of its first page can choose between. */
const CHOICES = 50
const NUMBERS = ['int32', 'int64', 'float', 'double']

const linkTo = (id: string) => `${LIST}?id=${id}`

/** What a table or a model says of a page. */
const factsOf = ({ id, name, suffix, state, visibility, control, views, publishedAt }: PageView) => ({
  ...{ id, name, state, visibility, control, views, publishedAt },
  address: `page/${suffix}`,
})

const listPages = defineTool({
  name: 'list_pages',
  class: 'read',
  permission: 'page:read',
  description: 'Lists cloud pages (what customers look at) with state, who sees them and how often they were opened.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name or address' })),
      state: Type.Optional(
        Type.Unsafe<PageView['state']>({ type: 'string', enum: [...PAGE_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_pages,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(cloudPagesContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}), ...(state ? { state } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'address', title: t.say('colAddress') },
            { key: 'state', title: t.say('colState') },
            { key: 'seen', title: t.say('colSeen') },
            { key: 'views', title: t.say('colViews'), numeric: true },
          ],
          rows: items.slice(0, SHOWN).map(page => ({
            name: { text: page.name, to: linkTo(page.id) },
            address: { text: `page/${page.suffix}` },
            state: { text: t.say(page.state) },
            seen: { text: t.say(`seen_${page.visibility}`) },
            views: { text: String(page.views) },
          })),
          total,
          link: { title: t.say('page'), to: LIST },
        },
      ],
      data: { total, items: items.slice(0, SHOWN).map(factsOf) },
    }
  },
})

/** The page that was named; asks which one where the name fits none or several. */
async function pageOf(t: ToolContext, name: string | undefined): Promise<PageView> {
  const { items } = await t.call(cloudPagesContract.list, { query: { limit: 50, ...(name ? { q: name } : {}) } })
  const exact = items.filter(page => name !== undefined && (same(page.name, name) || same(page.suffix, name)))
  const found = exact.length > 0 ? exact : items
  if (found.length === 1 && name !== undefined) return found[0]!
  const offered = items.length > 0 ? items : (await t.call(cloudPagesContract.list, { query: { limit: 20 } })).items
  if (offered.length === 0) throw new ToolProblem(t.say('none'), undefined, true)
  throw new ToolQuestion(
    t.say('which'),
    'page',
    offered.slice(0, SHOWN).map(page => ({ label: page.name, value: page.suffix })),
  )
}

const readPage = defineTool({
  name: 'read_page',
  class: 'read',
  permission: 'page:read',
  description: 'Tells of one cloud page: state, address, who sees and works it, its device roles and what is on it.',
  input: Type.Object(
    { page: Type.Optional(Type.String({ maxLength: 64, description: 'Name or address of the page' })) },
    closed,
  ),
  words: words.read_page,
  async run(t, { page: name }) {
    const page = await t.call(cloudPagesContract.get, { params: { id: (await pageOf(t, name)).id } })
    const { scene } = readScene(page.scene)
    const roles = scene?.roles ?? []
    const kinds = new Map<string, number>()
    for (const { kind } of scene?.nodes ?? []) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    return {
      text: [
        t.say('is', {
          name: quoted(page.name),
          state: t.say(page.state),
          seen: t.say(`seen_${page.visibility}`),
          worked: t.say(`worked_${page.control}`),
        }),
        t.say('holds', {
          nodes: page.nodes,
          roles: roles.map(role => quoted(role.name || role.key)).join(', ') || '–',
        }),
        t.say('views', { views: page.views, at: showTime(t, page.publishedAt) }),
        ...(page.changed ? [t.say('changed')] : []),
      ].join('\n\n'),
      cards: [{ kind: 'links', title: page.name, items: [{ title: t.say('open'), to: linkTo(page.id) }] }],
      data: {
        ...factsOf(page),
        changed: page.changed,
        roles: roles.map(({ key, name: called, choices }) => ({ key, name: called, devices: choices.length })),
        elements: Object.fromEntries([...kinds].sort((a, b) => b[1] - a[1]).slice(0, 30)),
      },
    }
  },
})

/** A property of the thing model as a page shows it; undefined: nothing that a page has an element for. */
function shownOf(t: ToolContext, property: Property): ShownProperty | undefined {
  const { identifier, dataType, unit, access } = property
  const name = nameIn(t, { name: property.name, ename: property.ename ?? '' }) || identifier
  const common = { identifier, name, ...(unit ? { unit } : {}), writable: access !== 'r' }
  const { min, max, step } = dataType as { min?: number; max?: number; step?: number }
  if (NUMBERS.includes(dataType.type))
    return {
      ...common,
      kind: 'number',
      ...(typeof min === 'number' && typeof max === 'number' && max > min ? { min, max } : {}),
      ...(typeof step === 'number' ? { step } : dataType.type.startsWith('int') ? { step: 1 } : {}),
    }
  if (dataType.type === 'bool') return { ...common, kind: 'bool' }
  if (dataType.type === 'enum')
    return {
      ...common,
      kind: 'enum',
      items: dataType.items.map(item => ({
        value: item.value,
        name: nameIn(t, { name: item.name, ename: item.ename ?? '' }),
      })),
    }
  return dataType.type === 'string' ? { ...common, kind: 'text' } : undefined
}

const createPage = defineTool({
  name: 'create_page',
  class: 'write',
  permission: 'page:write',
  description:
    'Makes a first cloud page for the devices of a product out of its thing model: figures, states, curves, controls and alarms. It is a draft that a person publishes.',
  input: Type.Object(
    {
      product: Type.Optional(Type.String({ maxLength: 64, description: 'Name, key or id of the product' })),
      name: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the page; the product’s when absent' })),
    },
    closed,
  ),
  words: words.create_page,
  async prepare(t, input) {
    const mention = await t.find('product', input.product)
    const product = await t.call(productsContract.get, { params: { id: mention.id } })
    const parsed = parseModel(product.thingModel)
    const properties = (parsed.ok ? parsed.model.properties : []).flatMap(property => shownOf(t, property) ?? [])
    if (properties.length === 0) throw new ToolProblem(t.say('noProperties', { product: quoted(product.name) }))
    const { items, total = 0 } = await t.call(devicesContract.list, {
      query: { productId: product.id, limit: CHOICES, sort: 'createdAt', total: '1' },
    })
    const name = (input.name?.trim() || t.say('name', { product: product.name })).slice(0, 64)
    const scene = fromProduct(
      { id: product.id, name, properties },
      items.map(({ id }) => id),
      t.locale,
    )
    return {
      calls: [
        plannedCall(cloudPagesContract.create, {
          body: { name, suffix: `page-${randomBytes(5).toString('hex')}`, scene },
        }),
      ],
      effects: [
        t.say('effect', { name: quoted(name), product: quoted(product.name), nodes: scene.nodes.length }),
        t.say('devices', { count: Math.min(total, CHOICES) }),
        t.say('draft_'),
      ],
      changes: [{ field: t.say('field'), before: null, after: name }],
      object: mention,
    }
  },
  async finish(t, { results }) {
    const { id, name, suffix } = results[0] as PageDetail
    return {
      result: {
        text: t.say('done', { name: quoted(name) }),
        cards: [{ kind: 'links' as const, title: name, items: [{ title: t.say('open'), to: linkTo(id) }] }],
        data: { id, name, address: `page/${suffix}`, state: 'draft' },
      },
      undo: [plannedCall(cloudPagesContract.remove, { params: { id } })],
    }
  },
})

export const cloudPagesTools: readonly Tool[] = [listPages, readPage, createPage]
