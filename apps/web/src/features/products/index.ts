import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

/** Texts beyond those that every console page has. */
const TEXTS = ['group-tree']

export const featurePages: FeaturePages = {
  pages: {
    '/manage/product': withTexts([...TEXTS, 'library'], async () => ({
      Component: (await import('./pages/product-list-page.tsx')).ProductListPage,
    })),
    '/manage/product/ProductSet/ProductSetInfo': withTexts(TEXTS, async () => ({
      Component: (await import('./pages/product-info-page.tsx')).ProductInfoPage,
    })),
    '/manage/product/ProductSet/ProductSetLink': withTexts(
      [...TEXTS, 'product-link', 'dialects', 'product-identity', 'device-access'],
      async () => ({
        Component: (await import('./pages/product-link-page.tsx')).ProductLinkPage,
      }),
    ),
    '/manage/product/ProductSet/ProductFormat': withTexts([...TEXTS, 'payload-format'], async () => ({
      Component: (await import('./pages/product-format-page.tsx')).ProductFormatPage,
    })),
    '/manage/product/ProductSet/ProductSetOrder': withTexts([...TEXTS, 'orders', 'command-kit'], async () => ({
      Component: (await import('./orders/product-orders-page.tsx')).ProductOrdersPage,
    })),
  },
  frames: {
    '/manage/product/ProductSet': withTexts(TEXTS, async () => ({
      Component: (await import('./pages/product-set-frame.tsx')).ProductSetFrame,
    })),
  },
}
