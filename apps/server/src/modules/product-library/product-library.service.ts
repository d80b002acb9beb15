import type { BodyOf, QueryOf } from '@thingwright/contracts'
import type {
  LibraryEntry,
  LibraryTemplate,
  ProductFile,
  productLibraryContract,
} from '@thingwright/contracts/product-library.contract'
import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { normaliseForSearch } from '../../lib/lists/search.ts'
import type { ProductFormatService, ProductLinkService, ProductsService } from '../products/index.ts'

type Contract = typeof productLibraryContract
type Made = BodyOf<Contract['install']>
type ProductFormatBody = NonNullable<ProductFile['format']>

export interface ProductLibraryDeps {
  database: Database
  products: Pick<ProductsService, 'create' | 'get' | 'publish' | 'remove'>
  formats: Pick<ProductFormatService, 'setFormat' | 'samples' | 'setSamples'>
  links: Pick<ProductLinkService, 'get' | 'set'>
  /** The templates (db/library), read when they are asked for. */
  templates(): Promise<readonly LibraryTemplate[]>
}

export interface ProductLibraryService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<{ items: LibraryEntry[] }>
  get(key: string): Promise<LibraryTemplate>
  install(ctx: Ctx, key: string, input: Made): Promise<ProductDetail>
  file(ctx: Ctx, id: string): Promise<ProductFile>
  importFile(ctx: Ctx, input: BodyOf<Contract['importFile']>): Promise<ProductDetail>
  copy(ctx: Ctx, id: string, input: BodyOf<Contract['copy']>): Promise<ProductDetail>
}

/** Devices that speak bytes of their own are told apart by these settings; the others have none. */
const RAW_LINKS: ReadonlySet<string> = new Set(['tcp', 'udp', 'modbus_rtu', 'modbus_tcp'])

export function createProductLibraryService(deps: ProductLibraryDeps): ProductLibraryService {
  const { database, products, formats, links } = deps

  async function template(key: string): Promise<LibraryTemplate> {
    const found = (await deps.templates()).find(each => each.key === key)
    if (!found) throw new AppError('product.template_not_found', { params: { key } })
    return found
  }

  /**
   * Makes a product of a file: what it is and its model first, then how its devices connect and what they say. A file
   * of which a part is refused leaves nothing behind.
   */
  async function build(
    ctx: Ctx,
    action: string,
    file: ProductFile,
    { name, groupId, draft }: Made,
  ): Promise<ProductDetail> {
    const {
      thingModel,
      linkType,
      nodeType,
      description,
      category,
      icon,
      offlineDelaySeconds,
      unknownKeys,
      lenientTypes,
      badValues,
    } = file
    const made = await products.create(ctx, {
      name: name ?? file.name,
      linkType,
      thingModel: thingModel as never,
      draft: true,
      ...(groupId === undefined ? {} : { groupId }),
      ...(nodeType ? { nodeType } : {}),
      ...(description ? { description } : {}),
      ...(category ? { category } : {}),
      ...(icon ? { icon } : {}),
      ...(offlineDelaySeconds ? { offlineDelaySeconds } : {}),
      ...(unknownKeys ? { unknownKeys } : {}),
      ...(lenientTypes === undefined ? {} : { lenientTypes }),
      ...(badValues ? { badValues } : {}),
    })
    try {
      if (file.format && !isPlainJson(file.format)) await formats.setFormat(ctx, made.id, file.format as never)
      if (file.samples && file.samples.length > 0) await formats.setSamples(ctx, made.id, { items: file.samples })
      if (file.link && RAW_LINKS.has(linkType)) await links.set(ctx, made.id, file.link as never)
      const done = draft ? await products.get(ctx, made.id) : await products.publish(ctx, made.id)
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action,
          objectType: 'product',
          objectId: done.id,
          objectName: done.name,
          after: { from: file.name, productKey: done.productKey, format: done.format.kind },
        }),
      )
      return done
    } catch (error) {
      await products.remove(ctx, made.id)
      throw error
    }
  }

  const service: ProductLibraryService = {
    async list(_ctx, { q, linkType }) {
      const needle = normaliseForSearch(q ?? '')
      const items = (await deps.templates())
        .filter(each => linkType === undefined || each.linkType === linkType)
        .filter(each => needle === '' || searchText(each).includes(needle))
        .map(
          ({ thingModel, format, samples, link: _link, offlineDelaySeconds: _delay, ...entry }): LibraryEntry => ({
            ...entry,
            format: String(format.kind),
            properties: (thingModel.properties as unknown[]).length,
            samples: samples.length,
          }),
        )
      return { items }
    },

    get: template,

    async install(ctx, key, input) {
      const {
        name,
        description,
        category,
        linkType,
        nodeType,
        offlineDelaySeconds,
        thingModel,
        format,
        link,
        samples,
      } = await template(key)
      const { locale } = ctx
      return build(
        ctx,
        'product.install',
        {
          thingwright: 'product',
          name: name[locale],
          description: description[locale],
          category: category[locale],
          linkType,
          nodeType,
          offlineDelaySeconds,
          thingModel,
          format: format as ProductFormatBody,
          samples,
          ...(link ? { link: link as NonNullable<ProductFile['link']> } : {}),
        },
        input,
      )
    },

    async file(ctx, id) {
      const product = await products.get(ctx, id)
      const { name, description, category, icon, linkType, nodeType, offlineDelaySeconds, thingModel, format } = product
      const { unknownKeys, lenientTypes, badValues } = product
      const samples = (await formats.samples(ctx, id)).items
      const link = RAW_LINKS.has(linkType) ? await links.get(ctx, id) : null
      // The number of an own port belongs to this product alone.
      const { port: _port, ...settings } = link?.settings ?? {}
      return {
        thingwright: 'product',
        version: 2,
        name,
        description,
        category,
        icon,
        linkType,
        nodeType,
        offlineDelaySeconds,
        unknownKeys,
        lenientTypes,
        badValues,
        thingModel,
        format: format as ProductFormatBody,
        samples,
        ...(link && !link.isDefault ? { link: settings } : {}),
      }
    },

    importFile: (ctx, { file, ...input }) => build(ctx, 'product.import', file, input),

    copy: async (ctx, id, input) => build(ctx, 'product.copy', await service.file(ctx, id), input),
  }
  return service
}

/** Says nothing but "JSON": what every product speaks from the beginning. */
function isPlainJson(format: Record<string, unknown>): boolean {
  return format.kind === 'json' && Object.keys(format).length === 1
}

function searchText({ name, description, vendor, model, keywords, category, key }: LibraryTemplate): string {
  return normaliseForSearch(
    [name.zh, name.en, description.zh, description.en, vendor, model, category.zh, category.en, key, ...keywords].join(
      '\n',
    ),
  )
}
