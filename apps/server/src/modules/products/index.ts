export type { ProductFormatService, RefusedFrame, TryResult, TryUplink } from './products.format.ts'
export { createProductsModule, type ProductsDeps, type ProductsModule } from './products.module.ts'
export type { DeviceCounts, HeldProduct, ProductDevices, ProductsService } from './products.service.ts'
export { countProductsByGroup } from './products.views.ts'
