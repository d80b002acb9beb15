import { loadTexts } from '../../lib/i18n.ts'
import type { ProductTab } from '../../lib/product-tabs.ts'

/** Triggers whose scope names a product. */
export const productTab: ProductTab = {
  key: 'triggers',
  of: 'triggers.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device/triggers-tabs.tsx'), loadTexts('triggers')])
    return { Component: tab.ProductTriggersTab }
  },
}
