import type { FeaturePages } from '../../lib/feature-pages.ts'

export const featurePages: FeaturePages = {
  pages: {
    '/cost/account/AccountAssets': async () => ({ Component: (await import('./assets-page.tsx')).AssetsPage }),
    '/cost/account/balance': async () => ({ Component: (await import('./balance-page.tsx')).BalancePage }),
    '/cost/account/MsgOrVmsBuy': async () => ({ Component: (await import('./packs-page.tsx')).PacksPage }),
    '/cost/account/MsgOrVmsRecord': async () => ({ Component: (await import('./unit-uses-page.tsx')).UnitUsesPage }),
    '/cost/account/cardBuy': async () => ({ Component: (await import('./cards/card-buy-page.tsx')).CardBuyPage }),
    '/cost/account/cardInfo': async () => ({ Component: (await import('./cards/card-info-page.tsx')).CardInfoPage }),
    '/cost/order': async () => ({ Component: (await import('./orders-page.tsx')).OrdersPage }),
    '/cost/order/detail': async () => ({ Component: (await import('./order-page.tsx')).OrderPage }),
    '/cost/consume': async () => ({ Component: (await import('./consumption-page.tsx')).ConsumptionPage }),
    '/cost/recharge': async () => ({ Component: (await import('./recharge-page.tsx')).RechargePage }),
    '/operator/money': async () => ({ Component: (await import('./desk/desk-page.tsx')).MoneyDeskPage }),
    '/admin/purchase': async () => ({ Component: (await import('./purchase-page.tsx')).PurchasePage }),
  },
}
