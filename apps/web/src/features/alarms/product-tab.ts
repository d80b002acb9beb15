import { loadTexts } from '../../lib/i18n.ts'
import type { ProductTab } from '../../lib/product-tabs.ts'

/** Alarms of a product's devices. */
export const productTab: ProductTab = {
  key: 'alarms',
  of: 'alarms.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device/alarms-tabs.tsx'), loadTexts('alarms')])
    return { Component: tab.ProductAlarmsTab }
  },
}
