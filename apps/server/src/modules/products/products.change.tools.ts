import { LINK_TYPES, type ProductDetail, productsContract } from '@thingwright/contracts/products.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { type Property, parseModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import {
  checkedText,
  linkTo,
  pages,
  refuseFullQuota,
  said,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import { defineTool, plannedCall, quoted, type Tool, type ToolContext, ToolProblem } from '../../lib/tools/tools.ts'
import { propertiesIn, propertyFor } from './model-sentence.ts'
import { modelOf, nameOf, partsNamed, typeText } from './model-words.ts'
import { productMention } from './product.finder.ts'
import words from './products.tools.json' with { type: 'json' }

const whichProduct = said('Name, key or id of the product')
/** Ways of connecting that this version has. */
type LinkWord = (typeof LINK_TYPES)[number]
const UNAVAILABLE: ReadonlySet<string> = new Set(['video'])

async function productOf(t: ToolContext, text: string | undefined): Promise<ProductDetail> {
  return t.call(productsContract.get, { params: { id: (await t.find('product', text)).id } })
}

const openPage = (t: ToolContext, product: Pick<ProductDetail, 'id'>) =>
  linkTo(t.say('openProduct'), pages.product(product.id))

/** One property in a line: `温度 temperature，数字，℃`. */
function lineOf(t: ToolContext, property: Property): string {
  return [
    `${quoted(nameOf(property, t.locale))} (${quoted(property.identifier)})`,
    typeText(property.dataType, t.locale),
    ...(property.unit ? [quoted(property.unit)] : []),
    t.say(property.access === 'r' ? 'readable' : 'writable'),
  ].join(' · ')
}

const createProduct = defineTool({
  name: 'create_product',
  class: 'write',
  permission: 'product:write',
  description:
    'Makes a product with a thing model out of a sentence such as "temperature (℃), humidity (%) and a switch", published at once so that devices can be added. For ready-made products of the library use install_library_product.',
  input: toolInput({
    name: said('Name of the product'),
    properties: Type.Optional(
      Type.String({
        maxLength: 1000,
        description: 'Its properties with units in brackets, separated by commas; none when absent',
      }),
    ),
    link: Type.Optional(
      Type.Unsafe<LinkWord>({
        type: 'string',
        enum: [...LINK_TYPES],
        description: 'How its devices connect; mqtt when absent',
      }),
    ),
  }),
  words: withCommonTexts(words.create_product),
  async prepare(t, input) {
    const name = checkedText(t, t.say('name'), input.name)
    const linkType = input.link ?? 'mqtt'
    if (UNAVAILABLE.has(linkType)) throw new ToolProblem(t.say('linkUnavailable'))
    const taken = new Set<string>()
    const properties = propertiesIn(input.properties ?? '').map(one => {
      const property = propertyFor(one, taken)
      taken.add(property.identifier)
      return property
    })
    const parsed = parseModel({ properties })
    if (!parsed.ok) throw new ToolProblem(t.say('modelWrong', { path: quoted(parsed.problems[0]?.path ?? '') }))
    await refuseFullQuota(t, 'products')
    const { items } = await t.call(productsContract.list, { query: { q: name, limit: 100 } })
    return {
      calls: [plannedCall(productsContract.create, { body: { name, linkType, thingModel: { properties } } })],
      effects: [
        t.say('effect', { name: strong(name), link: words.list_products.texts[`link_${linkType}`][t.locale] }),
        ...(properties.length > 0 ? properties.map(property => lineOf(t, property)) : [t.say('noModel')]),
        ...(items.some(product => product.name === name) ? [t.say('sameName', { name: strong(name) })] : []),
      ],
      changes: [
        { field: t.say('name'), before: null, after: name },
        ...properties.map(property => ({
          field: t.say('property'),
          before: null,
          after: `${property.name}${property.unit ? ` (${property.unit})` : ''}`,
        })),
      ],
    }
  },
  async finish(t, { results }) {
    const product = results[0] as ProductDetail
    const model = modelOf(product.thingModel)
    return {
      result: {
        text: t.say('done', {
          name: strong(product.name),
          key: `\`${product.productKey}\``,
          count: model.properties.length,
          page: openPage(t, product),
        }),
        data: {
          id: product.id,
          name: product.name,
          productKey: product.productKey,
          properties: model.properties.map(({ identifier }) => identifier),
        },
        mentions: [productMention(product)],
      },
      undo: [plannedCall(productsContract.remove, { params: { id: product.id } })],
    }
  },
})

/** Changes of basic data: one call, taken back by the call that writes what was there before. */
function editing(
  name: 'rename_product' | 'describe_product',
  field: 'name' | 'description',
  description: string,
  max: number,
): Tool {
  return defineTool({
    name,
    class: 'write',
    permission: 'product:write',
    description,
    input: toolInput({
      product: whichProduct,
      [field]: Type.Optional(Type.String({ maxLength: max, description: `The new ${field}` })),
    } as { product: typeof whichProduct; name: typeof whichProduct; description: typeof whichProduct }),
    words: withCommonTexts(words[name]),
    async prepare(t, input) {
      const product = await productOf(t, input.product)
      const text = checkedText(t, t.say(field), input[field], max)
      if (product[field] === text) throw new ToolProblem(t.say('unchanged', { name: strong(product.name) }))
      return {
        calls: [
          plannedCall(productsContract.update, {
            params: { id: product.id },
            body: { version: product.version, [field]: text },
          }),
        ],
        effects: [t.say('effect', { before: strong(product.name), name: strong(text), count: product.deviceCount })],
        changes: [{ field: t.say(field), before: product[field] || null, after: text }],
        object: productMention(product),
        memo: { before: product.name, back: { [field]: product[field] } },
      }
    },
    async finish(t, { memo, results }) {
      const product = results[0] as ProductDetail
      const { before, back } = memo as { before: string; back: object }
      return {
        result: {
          text: t.say('done', { before: strong(before), name: strong(product.name), page: openPage(t, product) }),
          data: { id: product.id, name: product.name, description: product.description },
          mentions: [productMention(product)],
        },
        undo: [
          plannedCall(productsContract.update, {
            params: { id: product.id },
            body: { version: product.version, ...back },
          }),
        ],
      }
    },
  })
}

const addProperty = defineTool({
  name: 'add_property',
  class: 'write',
  permission: 'product:write',
  description:
    'Adds a property to the thing model of a product and publishes the model, so that devices may report it. When the draft holds other changes, or the product is not published, the property goes into the draft only.',
  input: toolInput({
    product: whichProduct,
    name: said('Name of the property; the unit may stand in brackets'),
    unit: said('Its unit'),
    identifier: said('Its identifier: letters, digits, underscore; made from the name when absent'),
    writable: Type.Optional(Type.Boolean({ description: 'Whether it can be set; as the name suggests when absent' })),
  }),
  words: withCommonTexts(words.add_property),
  async prepare(t, input) {
    const product = await productOf(t, input.product)
    const model = modelOf(product.thingModel)
    const [named] = propertiesIn(checkedText(t, t.say('name'), input.name, 120))
    if (!named) throw new ToolProblem(t.say('textEmpty', { field: t.say('name') }))
    const identifier = input.identifier?.trim() || undefined
    if (identifier !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(identifier))
      throw new ToolProblem(t.say('identifierWrong', { identifier: quoted(identifier) }))
    const taken = new Set(model.properties.map(each => each.identifier))
    const namesake =
      model.properties.find(each => each.identifier === identifier) ??
      partsNamed(model.properties, named.name).find(each =>
        [each.name, each.ename, each.identifier].includes(named.name),
      )
    if (namesake)
      throw new ToolProblem(
        t.say('thereAlready', { product: strong(product.name), property: quoted(nameOf(namesake, t.locale)) }),
        {
          title: product.name,
          to: pages.product(product.id),
        },
      )
    const property = propertyFor(
      {
        ...named,
        ...(input.unit ? { unit: input.unit.trim() } : {}),
        identifier,
        ...(input.writable === undefined ? {} : { writable: input.writable }),
      },
      taken,
    )
    const next = { ...model, properties: [...model.properties, property] }
    const parsed = parseModel(next)
    if (!parsed.ok) throw new ToolProblem(t.say('modelWrong', { path: quoted(parsed.problems[0]?.path ?? '') }))
    const publish = product.status === 'published' && !product.modelChanged
    const why = product.status === 'published' ? 'draftOnly' : 'notPublished'
    return {
      calls: [
        plannedCall(productsContract.setThingModel, {
          params: { id: product.id },
          body: { version: product.version, ...(next as unknown as { properties: Record<string, unknown>[] }) },
        }),
        ...(publish
          ? [plannedCall(thingModelsContract.publish, { params: { id: product.id }, body: { note: property.name } })]
          : []),
      ],
      effects: [
        t.say('effect', { product: strong(product.name), property: lineOf(t, property) }),
        t.say(publish ? 'publishes' : why, { count: product.deviceCount }),
      ],
      changes: [
        {
          field: t.say('property'),
          before: null,
          after: `${property.name}${property.unit ? ` (${property.unit})` : ''}`,
        },
      ],
      object: productMention(product),
      memo: { publish, number: product.modelVersion, before: product.thingModel, property: property.name },
    }
  },
  async finish(t, { memo, results }) {
    const { publish, number, before, property } = memo as {
      publish: boolean
      number: number
      before: object
      property: string
    }
    const product = results.at(-1) as ProductDetail
    return {
      result: {
        text: t.say(publish ? 'done' : 'doneDraft', {
          product: strong(product.name),
          property: strong(property),
          page: openPage(t, product),
        }),
        data: { id: product.id, property, published: publish, modelVersion: product.modelVersion },
        mentions: [productMention(product)],
      },
      undo: [
        publish
          ? plannedCall(thingModelsContract.rollBack, { params: { id: product.id, number }, body: {} })
          : plannedCall(productsContract.setThingModel, {
              params: { id: product.id },
              body: { version: product.version, ...(before as { properties: Record<string, unknown>[] }) },
            }),
      ],
    }
  },
})

const deleteProduct = defineTool({
  name: 'delete_product',
  class: 'delete',
  permission: 'product:delete',
  description:
    'Deletes a product that has no devices, not even in the recycle bin: it moves to the recycle bin of products and can be restored.',
  input: toolInput({ product: whichProduct }),
  words: withCommonTexts(words.delete_product),
  async prepare(t, input) {
    const product = await productOf(t, input.product)
    if (product.deviceCount > 0)
      throw new ToolProblem(t.say('hasDevices', { name: strong(product.name), count: product.deviceCount }), {
        title: product.name,
        to: pages.devices({ productId: product.id }),
      })
    const model = modelOf(product.thingModel)
    return {
      calls: [plannedCall(productsContract.remove, { params: { id: product.id } })],
      effects: [t.say('effect', { name: strong(product.name), properties: model.properties.length })],
      changes: [{ field: t.say('product'), before: product.name, after: null }],
      object: productMention(product),
      memo: { id: product.id, name: product.name },
    }
  },
  async finish(t, { memo }) {
    const { id, name } = memo as { id: string; name: string }
    return {
      result: { text: t.say('done', { name: strong(name) }), data: { deleted: name } },
      undo: [plannedCall(productsContract.restore, { params: { id } })],
    }
  },
})

/** What can be changed about products. */
export const changeProductTools: readonly Tool[] = [
  createProduct,
  editing('rename_product', 'name', 'Gives a product another name. Its key and its devices stay.', 64),
  editing('describe_product', 'description', 'Writes the description of a product (at most 1,000 characters).', 1000),
  addProperty,
  deleteProduct,
]
