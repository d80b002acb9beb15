import { type LibraryEntry, productLibraryContract } from '@thingwright/contracts/product-library.contract'
import { type ProductDetail, productsContract } from '@thingwright/contracts/products.contract'
import {
  checkedText,
  linkTo,
  pages,
  said,
  spokenForms,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import { bestOf } from '../../lib/tools/tool-kit.ts'
import type { CallApi } from '../../lib/tools/tools.ts'
import {
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  ToolProblem,
  ToolQuestion,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { productMention } from '../products/index.ts'
import words from './product-library.tools.json' with { type: 'json' }

/** Templates that a text names: by the list's own search, else by its words one after the other. */
async function templatesNamed(call: CallApi, text: string): Promise<LibraryEntry[]> {
  const forms = spokenForms(text)
  for (const q of [
    ...forms,
    ...forms.map(form => form.replaceAll(/[-\s]+/g, '')),
    ...forms.map(form => form.replace(/s$/i, '')),
  ]) {
    const { items } = await call(productLibraryContract.list, { query: { q } })
    if (items.length > 0) return items
  }
  const last = (forms.at(-1) ?? '').split(/\s+/).filter(word => word.length > 2)
  if (last.length < 2) return []
  const { items } = await call(productLibraryContract.list, { query: {} })
  const holds = (entry: LibraryEntry, word: string) => JSON.stringify(entry).toLowerCase().includes(word.toLowerCase())
  return items.filter(entry => last.every(word => holds(entry, word)))
}

const searchLibrary = defineTool({
  name: 'search_library',
  class: 'read',
  permission: 'product:read',
  description:
    'Ready-made products of the library (sensors, meters, PLCs, trackers …) with thing model, data format and samples, found by name, maker, protocol or kind. Use it before making a product by hand.',
  input: toolInput({ text: said('What is looked for: a kind, a maker, a model or a protocol; all when absent') }),
  words: withCommonTexts(words.search_library),
  async run(t, input): Promise<ToolResult> {
    const text = input.text?.trim() ?? ''
    const items = text
      ? await templatesNamed(t.call, text)
      : (await t.call(productLibraryContract.list, { query: {} })).items
    const link = linkTo(t.say('openLibrary'), pages.products())
    if (items.length === 0) return { text: t.say('none', { text: quoted(text), link }), data: { templates: [] } }
    return {
      text: t.say(text ? 'found' : 'all', {
        count: items.length,
        text: quoted(text),
        first: strong(items[0]!.name[t.locale]),
      }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('name') },
            { key: 'category', title: t.say('category') },
            { key: 'link', title: t.say('linkType') },
            { key: 'properties', title: t.say('property'), numeric: true },
          ],
          rows: items.slice(0, 20).map(entry => ({
            name: { text: entry.name[t.locale] },
            category: { text: entry.category[t.locale] },
            link: { text: entry.linkType },
            properties: { text: String(entry.properties) },
          })),
          total: items.length,
        },
      ],
      data: items.slice(0, 20).map(({ key, name, vendor, model, linkType, properties }) => ({
        key,
        name: name[t.locale],
        vendor,
        model,
        linkType,
        properties,
      })),
    }
  },
})

const installProduct = defineTool({
  name: 'install_library_product',
  class: 'write',
  permission: 'product:write',
  description:
    'Makes a ready-made product of the library one of the company, published: thing model, data format and samples come with it.',
  input: toolInput({
    template: said('Name or key of the product in the library'),
    name: said('Name of the new product; as in the library when absent'),
  }),
  words: withCommonTexts(words.install_library_product),
  async prepare(t, input) {
    const text = input.template?.trim() ?? ''
    if (text === '') throw new ToolProblem(t.say('textEmpty', { field: t.say('template') }))
    const found = await templatesNamed(t.call, text)
    const best = bestOf(found, text, 6, entry => [entry.name.zh, entry.name.en, entry.key, entry.model])
    if (best.length === 0) throw new ToolProblem(t.say('none', { text: quoted(text) }))
    if (best.length > 1)
      throw new ToolQuestion(
        t.say('which', { text: quoted(text) }),
        'template',
        best.map(entry => ({ label: entry.name[t.locale], value: entry.key })),
      )
    const entry = best[0]!
    const name = input.name ? checkedText(t, t.say('name'), input.name) : entry.name[t.locale]
    const { items } = await t.call(productsContract.list, { query: { q: name.slice(0, 128), limit: 100 } })
    return {
      calls: [plannedCall(productLibraryContract.install, { params: { key: entry.key }, body: { name } })],
      effects: [
        t.say('effect', { template: strong(entry.name[t.locale]), name: strong(name) }),
        t.say('brings', { properties: entry.properties, format: quoted(entry.format), samples: entry.samples }),
        ...(items.some(product => product.name === name) ? [t.say('sameName', { name: strong(name) })] : []),
      ],
      changes: [{ field: t.say('product'), before: null, after: name }],
    }
  },
  async finish(t, { results }) {
    const product = results[0] as ProductDetail
    return {
      result: {
        text: t.say('done', {
          name: strong(product.name),
          key: `\`${product.productKey}\``,
          page: linkTo(t.say('openProduct'), pages.product(product.id)),
        }),
        data: { id: product.id, name: product.name, productKey: product.productKey },
        mentions: [productMention(product)],
      },
      undo: [plannedCall(productsContract.remove, { params: { id: product.id } })],
    }
  },
})

/** What can be asked and done about the library of ready-made products. */
export const productLibraryTools: readonly Tool[] = [searchLibrary, installProduct]
