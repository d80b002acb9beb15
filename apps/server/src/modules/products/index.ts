export { formatDraftTools } from './format-draft.tools.ts'
export { type ChangedFeature, collectWords, type ProductUsage, USE_EXAMPLES } from './model-impact.ts'
export { pickProperty } from './model-pick.ts'
export {
  isNumber,
  modelOf,
  nameOf,
  numberText,
  partsNamed,
  readValue,
  settable,
  typeText,
  valueText,
} from './model-words.ts'
export { productFinder, productMention } from './product.finder.ts'
export { ownedProducts } from './product-owner.repo.ts'
export {
  replaceProductSecret,
  storeCommandRules,
  storeFirmwareRules,
  storeProductIdentity,
} from './product-sections.repo.ts'
export type { FormatTools, ProductFormatService, RefusedFrame } from './products.format.ts'
export type { ProductLinkService } from './products.link.ts'
export { createProductsModule, type ProductsDeps, type ProductsModule } from './products.module.ts'
export type { DeviceCounts, HeldProduct, ProductDevices, ProductsService } from './products.service.ts'
export { productsTools } from './products.tools.ts'
export { countProductsByGroup } from './products.views.ts'
export { type UnknownKeyDelta, writeUnknownKeys } from './unknown-keys.repo.ts'
