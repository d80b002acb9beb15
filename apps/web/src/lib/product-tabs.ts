import type { ComponentType } from 'react'
import type { Operation } from './api-client.ts'

/** What a tab of a product is told about the product it stands for. */
export interface ProductTabProps {
  productId: string
}

/**
 * A tab that an area brings to a product's information: `features/<area>/product-tab.ts` exports it as `productTab`. Its
 * word stands in the shell's texts under `deviceTab.<key>`, the same as in the device centre.
 */
export interface ProductTab {
  key: string
  /** What it reads first: who may not call that is not shown the tab. */
  of: Operation
  load: () => Promise<{ Component: ComponentType<ProductTabProps> }>
}

const tabs: ProductTab[] = []

/** Hands over the tabs of all areas; called once by the console's frame. */
export function registerProductTabs(found: readonly ProductTab[]): void {
  tabs.splice(0, tabs.length, ...found)
}

/** The tabs that other areas brought. */
export function productTabs(): readonly ProductTab[] {
  return tabs
}
